package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

const (
	oldestGo   = 26 // of Go 1
	oldestJava = 21
	enoughDisk = 1 << 30 // bytes; the modules, the build cache and three versions take about two thirds of it
)

// examine looks at everything, the laptop part's needs first.
func examine(ctx context.Context, m machine) []finding {
	goEnv, err := m.goEnv(ctx)
	if err != nil {
		return []finding{{subject: "Go", state: missing, detail: "go env fails: " + err.Error(),
			remedy: "install Go 1.26 or newer: https://go.dev/dl/"}}
	}
	findings := []finding{toolchain(goEnv)}
	findings = append(findings, settings(goEnv)...)
	findings = append(findings, compiler(ctx, m, goEnv), folder(m), room(m), port(m), curl(m), sqlite(ctx, m))
	findings = append(findings, java(ctx, m), chromium(m), credentials(m))
	return append(findings, surroundings(m)...)
}

var goVersion = regexp.MustCompile(`^go1\.([0-9]+)`)

func toolchain(goEnv map[string]string) finding {
	version := goEnv["GOVERSION"]
	match := goVersion.FindStringSubmatch(version)
	if match != nil {
		if minor, err := strconv.Atoi(match[1]); err == nil && minor < oldestGo {
			return finding{subject: "Go", state: missing, detail: version + " is too old",
				remedy: "install Go 1.26 or newer: https://go.dev/dl/"}
		}
	}
	return finding{subject: "Go", state: fine, detail: version} // a development version has no number
}

// settings finds those of the go command that keep the lab from building.
func settings(goEnv map[string]string) (findings []finding) {
	wrong := func(name, why, remedy string) {
		findings = append(findings, finding{subject: name, state: missing, detail: goEnv[name] + ": " + why, remedy: remedy})
	}
	if strings.Contains(goEnv["GOFLAGS"], "-mod=mod") || strings.Contains(goEnv["GOFLAGS"], "-mod=vendor") {
		wrong("GOFLAGS", "go does not build a workspace with -mod",
			"take -mod out of it: unset GOFLAGS, and go env -u GOFLAGS")
	}
	if goEnv["GO111MODULE"] == "off" {
		wrong("GO111MODULE", "the lab is made of modules", "unset GO111MODULE, and go env -u GO111MODULE")
	}
	if goEnv["GOWORK"] == "off" {
		wrong("GOWORK", "the commands of the lessons need the workspace", "unset GOWORK, and go env -u GOWORK")
	}
	switch proxy := goEnv["GOPROXY"]; proxy {
	case "https://proxy.golang.org,direct":
	case "off":
		findings = append(findings, finding{subject: "GOPROXY", state: note, detail: "off: modules come from the cache only",
			remedy: "if a module is missing: go env -u GOPROXY, or your company's proxy: go env -w GOPROXY=https://…"})
	default:
		findings = append(findings, finding{subject: "GOPROXY", state: note, detail: proxy + ": modules come from there",
			remedy: "if a download fails, ask whoever runs it, or: go env -u GOPROXY"})
	}
	return findings
}

// compiler: SQLite is built with a C compiler where there is one, else its pure-Go translation is used.
func compiler(ctx context.Context, m machine, goEnv map[string]string) finding {
	f := finding{subject: "C compiler", need: "cgo"}
	if goEnv["CGO_ENABLED"] != "1" {
		f.state, f.detail = note, "not used: SQLite is the pure-Go one, which writes more slowly; all else is the same"
		f.remedy = map[string]string{
			"darwin":  "if you want the faster one: xcode-select --install",
			"windows": "if you want the faster one: install MSYS2's mingw-w64 gcc, and put it on the PATH",
		}[m.os]
		if f.remedy == "" {
			f.remedy = "if you want the faster one: install gcc (Debian, Ubuntu: sudo apt install gcc libc6-dev)"
		}
		return f
	}
	words := append(strings.Fields(goEnv["CC"]), "--version")
	output, err := m.run(ctx, words...)
	if err != nil {
		f.state, f.detail = missing, fmt.Sprintf("CGO_ENABLED=1, and %s does not run", goEnv["CC"])
		f.remedy = "do without it: go env -w CGO_ENABLED=0; or install it (macOS: xcode-select --install)"
		return f
	}
	f.state, f.detail = fine, firstLine(output)
	return f
}

func folder(m machine) finding {
	if err := m.writable(m.home); err != nil {
		return finding{subject: "data folder", state: missing, detail: err.Error(),
			remedy: "make the checkout writable, or set LAB_HOME to a folder that is"}
	}
	return finding{subject: "data folder", state: fine, detail: filepath.Join(m.home, "data") + " can be written"}
}

func room(m machine) finding {
	free, err := m.freeDisk(m.home)
	switch {
	case err != nil:
		return finding{subject: "disk", state: note, detail: "free space cannot be told: " + err.Error()}
	case free < enoughDisk:
		return finding{subject: "disk", state: missing, detail: humanize.IBytes(free) + " free",
			remedy: "free " + humanize.IBytes(enoughDisk) + ", or set LAB_HOME to a folder on another disk"}
	}
	return finding{subject: "disk", state: fine, detail: humanize.IBytes(free) + " free"}
}

func port(m machine) finding {
	number := m.getenv("PORT")
	if number == "" {
		number = "8000"
	}
	if err := m.listen(number); err != nil {
		return finding{subject: "port " + number, state: note,
			detail: "taken by another program, or by make api in another terminal",
			remedy: "stop that program, or serve elsewhere: make api PORT=8001, make load PORT=8001"}
	}
	return finding{subject: "port " + number, state: fine, detail: "free"}
}

func curl(m machine) finding {
	if m.find("curl") != nil {
		return finding{subject: "curl", state: note,
			detail: "not there; lessons ask the API with it, and programs ask it without",
			remedy: "install curl, or open the addresses in a browser"}
	}
	return finding{subject: "curl", state: fine, detail: "there"}
}

func sqlite(ctx context.Context, m machine) finding {
	output, err := m.run(ctx, "sqlite3", "--version")
	if err != nil {
		return finding{subject: "sqlite3", state: note,
			detail: "not there; make bench compares with it, and nothing else needs it",
			remedy: "for make bench: install the sqlite3 command (Debian, Ubuntu: sudo apt install sqlite3)"}
	}
	version, _, _ := strings.Cut(firstLine(output), " ")
	return finding{subject: "sqlite3", state: fine, detail: version}
}

var javaVersion = regexp.MustCompile(`version "([0-9]+)`)

func java(ctx context.Context, m machine) finding {
	f := finding{subject: "Java", need: "java"}
	output, err := m.run(ctx, "java", "-version")
	match := javaVersion.FindStringSubmatch(output)
	switch {
	case err != nil || match == nil:
		f.state, f.detail = absent, "not there"
	default:
		f.state, f.detail = fine, firstLine(output)
		if major, err := strconv.Atoi(match[1]); err != nil || major < oldestJava {
			f.state, f.detail = absent, firstLine(output)+" is too old"
		}
	}
	if f.state == absent {
		f.remedy = "install any OpenJDK of 21 or newer: https://adoptium.net"
	}
	return f
}

// browsers are the names of Chromium and its relatives on the PATH, and where they are when they are not on it.
var browsers = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
	`C:\Program Files\Google\Chrome\Application\chrome.exe`,
	`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
}

func chromium(m machine) finding {
	for _, browser := range browsers {
		if m.find(browser) == nil {
			return finding{subject: "Chromium", state: fine, detail: browser, need: "chromium"}
		}
	}
	return finding{subject: "Chromium", state: absent, detail: "not there", need: "chromium",
		remedy: "install Chromium or Chrome; the tests of the site look at pages with it"}
}

func credentials(m machine) finding {
	f := finding{subject: "AWS credentials", need: "aws"}
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		if m.getenv(name) != "" {
			f.state, f.detail = fine, name+" is set"
			return f
		}
	}
	for _, name := range []string{"credentials", "config"} {
		if m.user != "" && m.exists(filepath.Join(m.user, ".aws", name)) {
			f.state, f.detail = fine, "~/.aws/"+name+" is there"
			return f
		}
	}
	f.state, f.detail = absent, "none in the environment or in ~/.aws"
	f.remedy = "part 3 can be rehearsed without an account; for the real one: aws configure"
	return f
}

// surroundings are hints for systems on which the lab is slower than it need be.
func surroundings(m machine) []finding {
	if m.os == "windows" {
		return []finding{{subject: "Windows", state: note,
			detail: "a virus scanner that looks into every new program makes go run slow",
			remedy: "exclude the folders that go env GOCACHE and go env GOTMPDIR name, or use WSL"}}
	}
	if strings.Contains(strings.ToLower(m.kernel()), "microsoft") && strings.HasPrefix(m.home, "/mnt/") {
		return []finding{{subject: "WSL", state: note,
			detail: "files below /mnt are slow, and file locks there are not reliable",
			remedy: "move the checkout into the Linux file system, such as ~/relevance-lab"}}
	}
	return nil
}
