package load

import (
	"fmt"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
)

// machineTime is the CPU time that this machine has spent since it was started, on all its cores together.
type machineTime struct {
	at       time.Time
	programs float64 // seconds in programs, on their own code and in the kernel on their behalf
	busy     float64 // seconds in which a core was not idle: programs, interrupts and the network stack
}

func readMachineTime() (machineTime, error) {
	at := time.Now()
	times, err := cpu.Times(false)
	if err != nil {
		return machineTime{}, fmt.Errorf("read this machine's CPU time: %w", err)
	}
	t := times[0]
	programs := t.User + t.Nice + t.System
	return machineTime{at: at, programs: programs, busy: programs + t.Irq + t.Softirq + t.Steal}, nil
}

// coresSince returns how many cores were busy between two readings, on average.
func (m machineTime) coresSince(earlier machineTime) (programs, busy float64) {
	seconds := m.at.Sub(earlier.at).Seconds()
	return (m.programs - earlier.programs) / seconds, (m.busy - earlier.busy) / seconds
}
