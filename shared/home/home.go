// Package home finds the folders that a run reads and writes, from whichever folder of the checkout it is started in.
package home

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Variable names the environment variable that overrides the search: data/ and results/ then live below its value.
const Variable = "LAB_HOME"

// Home is a folder that holds data/ and results/.
type Home string

// Find returns LAB_HOME where it is set, else the nearest folder at or above the working directory that holds a
// go.work file: the root of the checkout.
func Find() (Home, error) {
	if dir := os.Getenv(Variable); dir != "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("%s=%s: %w", Variable, dir, err)
		}
		return Home(absolute), nil
	}
	root, err := Checkout()
	return Home(root), err
}

// Checkout returns the root of the checkout, whatever LAB_HOME says.
func Checkout() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "go.work"))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.work at or above %s; run this inside the relevance-lab checkout, or set %s",
				start, Variable)
		}
	}
}

// Data is the folder of the published versions.
func (h Home) Data() string { return filepath.Join(string(h), "data") }

// Results is the folder of the recorded runs.
func (h Home) Results() string { return filepath.Join(string(h), "results") }
