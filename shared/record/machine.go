package record

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// Machine says what a run was measured on, without naming the machine.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryMiB int    `json:"memory_mib"`
	Go        string `json:"go"`
}

// ThisMachine describes the machine that the program runs on. What the system does not tell stays empty.
func ThisMachine() Machine {
	machine := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	if processors, err := cpu.Info(); err == nil && len(processors) > 0 {
		machine.CPU = processors[0].ModelName
	}
	if memory, err := mem.VirtualMemory(); err == nil {
		machine.MemoryMiB = int(memory.Total >> 20)
	}
	return machine
}
