package service

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/cli"
)

// DefaultCacheSize is the number of entries of the hot-key cache. With Zipf-skewed traffic over the lab's world it
// lets the cache answer a quarter of all lookups, as the original write-up's did.
const DefaultCacheSize = 8_560

// The largest settings that are taken for meant and not for mistyped.
const (
	maxCacheSize = 10_000_000
	maxDelay     = time.Minute
	maxBudget    = 10 * time.Second
)

// Config is what a person sets. Default gives every field its default.
type Config struct {
	Host      string        `env:"HOST"`         // the address to bind
	Port      int           `env:"PORT"`         // 0 lets the system choose
	Bloom     bool          `env:"BLOOM"`        // false: no lookup asks the filter
	CacheSize int           `env:"CACHE_SIZE"`   // entries; 0: no cache is built
	DBDelay   time.Duration `env:"DB_DELAY_MS"`  // added to each batched read
	DBBudget  time.Duration `env:"DB_BUDGET_MS"` // how long a request waits for its batched read
}

// Default returns the settings of an environment that sets nothing.
func Default() Config {
	return Config{
		Host: "127.0.0.1", Port: 8000, Bloom: true, CacheSize: DefaultCacheSize, DBBudget: 250 * time.Millisecond,
	}
}

// wanted says of each variable what it takes, in the words of the error message.
var wanted = map[string]string{
	"HOST":         "an address to bind, such as 127.0.0.1",
	"PORT":         "a whole number from 0 to 65535",
	"BLOOM":        "on or off",
	"CACHE_SIZE":   "a whole number from 0 to " + humanize.Comma(maxCacheSize),
	"DB_DELAY_MS":  "whole milliseconds from 0 to " + humanize.Comma(maxDelay.Milliseconds()),
	"DB_BUDGET_MS": "whole milliseconds from 1 to " + humanize.Comma(maxBudget.Milliseconds()),
}

// ConfigFromEnv reads the settings from the environment. A variable that is not set, or is empty, leaves the default.
// The error is of wrong use (exit status 2) and has one line for each wrong variable.
func ConfigFromEnv() (Config, error) {
	config := Default()
	err := env.ParseWithOptions(&config, env.Options{FuncMap: map[reflect.Type]env.ParserFunc{
		reflect.TypeFor[bool]():          parseSwitch,
		reflect.TypeFor[time.Duration](): parseMillis,
	}})
	var wrong []error
	var all env.AggregateError
	switch {
	case errors.As(err, &all):
		for _, err := range all.Errors {
			wrong = append(wrong, refused(err))
		}
	case err != nil:
		wrong = append(wrong, refused(err))
	}
	for _, setting := range []struct {
		name  string
		meant bool
	}{
		{"PORT", config.Port >= 0 && config.Port <= 65535},
		{"CACHE_SIZE", config.CacheSize >= 0 && config.CacheSize <= maxCacheSize},
		{"DB_DELAY_MS", config.DBDelay >= 0 && config.DBDelay <= maxDelay},
		{"DB_BUDGET_MS", config.DBBudget >= time.Millisecond && config.DBBudget <= maxBudget},
	} {
		if !setting.meant {
			wrong = append(wrong, refusedValue(setting.name))
		}
	}
	return config, errors.Join(wrong...)
}

func refused(err error) error {
	var parse env.ParseError
	if errors.As(err, &parse) {
		if field, ok := reflect.TypeFor[Config]().FieldByName(parse.Name); ok {
			return refusedValue(field.Tag.Get("env"))
		}
	}
	return cli.Usagef("the environment: %v", err)
}

func refusedValue(name string) error {
	return cli.Usagef("%s=%q is not %s", name, os.Getenv(name), wanted[name])
}

func parseSwitch(text string) (any, error) {
	switch text {
	case "on":
		return true, nil
	case "off":
		return false, nil
	}
	return nil, fmt.Errorf("%q is neither on nor off", text)
}

func parseMillis(text string) (any, error) {
	millis, err := strconv.ParseInt(text, 10, 32)
	return time.Duration(millis) * time.Millisecond, err
}
