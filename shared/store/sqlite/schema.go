package sqlite

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// score is a row as gorm migrates and describes it. The primary key is the table itself (WITHOUT ROWID): the rows of
// one ASIN lie side by side on a page, and a lookup descends one tree, not an index and then a table.
type score struct {
	ASIN     string  `gorm:"primaryKey;not null"`
	Creative string  `gorm:"primaryKey;not null"`
	Score    float64 `gorm:"not null"`
}

// migrate makes the empty table.
func migrate(db *gorm.DB) error {
	return db.Set("gorm:table_options", " WITHOUT ROWID").AutoMigrate(&score{})
}

// open opens source with gorm, and returns the *sql.DB beneath it too.
func open(source string) (*gorm.DB, *sql.DB, error) {
	db, err := gorm.Open(dialector(source), &gorm.Config{
		Logger:                 logger.Discard, // errors are returned, and reported once
		SkipDefaultTransaction: true,
	})
	if err != nil {
		return nil, nil, err
	}
	beneath, err := db.DB()
	return db, beneath, err
}

// uri names a file in the form that lets SQLite be told how to open it. Whatever the path holds (spaces, ?, #, %) is
// escaped, and a Windows path gets the slashes that SQLite asks for.
func uri(absolute, options string) string {
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/data becomes /C:/data
	}
	return "file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + options
}

// checkSchema makes sure that the file holds a table of scores, so that a wrong file is found when it is opened.
func (db *DB) checkSchema() error {
	var none []score
	if err := db.gorm.Select("asin", "creative", "score").Limit(0).Find(&none).Error; err != nil {
		return fmt.Errorf("it has no table of scores: %w", err)
	}
	return nil
}
