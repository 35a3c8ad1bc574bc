package service

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// complaintEvery is how often a trouble that repeats itself is told.
const complaintEvery = time.Second

// voice writes lines for the person who watches the server, one at a time.
type voice struct {
	mutex      sync.Mutex
	out        io.Writer
	complained time.Time
	held       int
}

func (v *voice) say(format string, args ...any) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	fmt.Fprintf(v.out, format+"\n", args...)
}

// complain says what may repeat thousands of times a second, at most once a second, and how often it held its tongue.
func (v *voice) complain(format string, args ...any) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if time.Since(v.complained) < complaintEvery {
		v.held++
		return
	}
	line := fmt.Sprintf(format, args...)
	if v.held > 0 {
		line = fmt.Sprintf("%s (and %d more like it)", line, v.held)
	}
	fmt.Fprintln(v.out, line)
	v.complained, v.held = time.Now(), 0
}
