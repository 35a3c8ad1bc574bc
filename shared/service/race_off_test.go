//go:build !race

package service_test

// raceDetector is whether the tests run under it; it multiplies memory.
const raceDetector = false
