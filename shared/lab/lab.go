// Package lab sets a step's stage: it makes sure that a version is published, and runs the API as a process of its
// own, on a port of its own, that never outlives the step.
//
// A step's main calls proc.Dispatch(lab.API(), …) first, because the API is the step's own executable, started again
// in another role.
package lab
