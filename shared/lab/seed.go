package lab

import (
	"os"
	"strconv"

	"example.com/relevance-lab/shared/cli"
)

// SeedVariable names the environment variable that chooses the world.
const SeedVariable = "LAB_SEED"

// DefaultSeed is the seed of the world that the lessons show.
const DefaultSeed = 42

// Seed returns LAB_SEED, or 42 where it is not set. A value that is not a whole number is wrong use.
func Seed() (uint64, error) {
	text := os.Getenv(SeedVariable)
	if text == "" {
		return DefaultSeed, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, cli.Usagef("%s=%q is not a whole number from 0 up", SeedVariable, text)
	}
	return seed, nil
}
