package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/disk"

	"example.com/relevance-lab/shared/home"
)

// machine is what doctor may look at. A test replaces what it wants to differ.
type machine struct {
	os       string
	home     string // holds data/ and results/
	user     string // the person's home folder
	getenv   func(string) string
	find     func(program string) error                                // is it on the PATH?
	run      func(ctx context.Context, args ...string) (string, error) // what it prints on both streams
	goEnv    func(ctx context.Context) (map[string]string, error)      // go env
	freeDisk func(folder string) (bytes uint64, err error)             //
	listen   func(port string) error                                   // can 127.0.0.1:port be listened on?
	exists   func(path string) bool                                    //
	writable func(folder string) error                                 //
	kernel   func() string                                             // /proc/version, to know WSL
}

func thisMachine(where home.Home) machine {
	user, err := os.UserHomeDir()
	if err != nil {
		user = ""
	}
	return machine{
		os: runtime.GOOS, home: string(where), user: user, getenv: os.Getenv,
		find: func(program string) error { _, err := exec.LookPath(program); return err },
		run:  run, goEnv: goEnv,
		freeDisk: func(folder string) (uint64, error) {
			usage, err := disk.Usage(folder)
			if err != nil {
				return 0, err
			}
			return usage.Free, nil
		},
		listen: func(port string) error {
			listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
			if err != nil {
				return err
			}
			return listener.Close()
		},
		exists:   func(path string) bool { _, err := os.Stat(path); return err == nil },
		writable: writable,
		kernel: func() string {
			version, err := os.ReadFile("/proc/version")
			if err != nil {
				return ""
			}
			return string(version)
		},
	}
}

// patience is how long a program may take to tell its version.
const patience = 20 * time.Second

func run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	output, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	return string(output), err
}

// goSettings may keep go run itself from working, so make doctor sets them to what works and hands the person's own
// values over under these names.
var goSettings = []string{"GOFLAGS", "GOWORK", "GO111MODULE"}

// goEnv is the go command's view of the person's own settings.
func goEnv(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	command := exec.CommandContext(ctx, "go", "env", "-json")
	command.Env = os.Environ()
	if os.Getenv("DOCTOR") != "" {
		for _, name := range goSettings {
			command.Env = append(command.Env, name+"="+os.Getenv("DOCTOR_"+name))
		}
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	return values, json.Unmarshal(output, &values)
}

// writable tries to make a file in the folder, or in the nearest folder above it that exists.
func writable(folder string) error {
	for {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Remove(file.Name())
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
