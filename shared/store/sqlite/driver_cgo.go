//go:build cgo

package sqlite

import (
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
)

// Driver names the SQLite that this program holds: the C library, through cgo.
const Driver = "mattn/go-sqlite3 (C library, cgo)"

// unshared leaves out SQLite's own lock: each connection has one user at a time here. A read is 7% faster without.
const unshared = "&_mutex=no"

// rowsPerInsert is where more rows a statement gain nothing any more.
const rowsPerInsert = 100

// CLibrary tells whether Driver is the C library.
const CLibrary = true

func dialector(source string) gorm.Dialector { return sqlite.Open(source) }
