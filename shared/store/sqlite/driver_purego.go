//go:build !cgo

package sqlite

import (
	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
)

// Driver names the SQLite that this program holds: the C library translated to Go, for machines without a C compiler.
const Driver = "glebarez/sqlite (pure Go)"

const unshared = "" // nothing to ask of this driver

// rowsPerInsert is small: this driver's time to bind a statement grows with the square of its parameters.
const rowsPerInsert = 30

// CLibrary tells whether Driver is the C library.
const CLibrary = false

func dialector(source string) gorm.Dialector { return sqlite.Open(source) }
