//go:build !windows

package console

import "os"

// canColour tells whether the terminal understands colour: all but Windows' old ones do.
func canColour(*os.File) bool { return true }
