// Command reset removes what your runs made: data/ with the published versions and results/ with the recorded runs. It
// asks first, removes nothing else, and refuses a folder that holds anything the lab did not make.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/release"
)

func main() {
	cli.Main(func(context.Context) error {
		flags := cli.Flags("reset removes your data/ and results/.")
		yes := flags.Bool("yes", false, "do not ask")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		where, err := home.Find()
		if err != nil {
			return err
		}
		ask := func(string) (bool, error) { return true, nil }
		if !*yes {
			ask = askPerson
		}
		return reset(where, ask, os.Stdout)
	})
}

// askPerson asks on the terminal. Anything but a clear yes is a no.
func askPerson(question string) (bool, error) {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false, cli.Usagef("reset asks before it removes anything, and there is no terminal to ask on; " +
			"if you are sure: make reset YES=1, or go run ./shared/cmd/reset --yes")
	}
	fmt.Print(question + " [y/N] ")
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// reset removes both folders after the answer yes.
func reset(where home.Home, ask func(question string) (bool, error), out io.Writer) error {
	var bytes int64
	var present []string
	for _, folder := range []struct {
		path string
		ours *regexp.Regexp
	}{{where.Data(), ofData}, {where.Results(), ofResults}} {
		size, err := inspect(folder.path, folder.ours)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		bytes += size
		present = append(present, folder.path)
	}
	if len(present) == 0 {
		fmt.Fprintf(out, "nothing to remove: %s holds neither data/ nor results/\n", where)
		return nil
	}
	yes, err := ask(fmt.Sprintf("remove %s (%s)?", strings.Join(present, " and "), humanize.IBytes(uint64(bytes))))
	if err != nil {
		return err
	}
	if !yes {
		fmt.Fprintln(out, "nothing was removed")
		return nil
	}
	if err := unpublished(where.Data()); err != nil {
		return err
	}
	for _, path := range present {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove %s: %w; stop the program that uses it (make api?) and run this again", path, err)
		}
		fmt.Fprintf(out, "removed %s\n", path)
	}
	fmt.Fprintf(out, "freed %s\n", humanize.IBytes(uint64(bytes)))
	return nil
}

// What the lab writes, as paths from the folder with forward slashes.
var (
	ofData = regexp.MustCompile(`^(\.?current\.json[^/]*|publish\.lock|versions|versions/\.[^/]*(/[^/]*)?` +
		`|versions/[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{8}(/[^/]+)?|\.DS_Store)$`)
	ofResults = regexp.MustCompile(`^(\.?(step-[0-9]{2}|baseline\.json)[^/]*|\.DS_Store)$`)
)

// inspect returns the size of a folder's files. It fails where the folder holds something that is not the lab's.
func inspect(folder string, ours *regexp.Regexp) (bytes int64, err error) {
	info, err := os.Lstat(folder)
	if err != nil {
		return 0, err
	}
	if !info.IsDir() {
		return 0, fmt.Errorf("%s is not a folder that the lab made; nothing was removed, look at it yourself", folder)
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if !ours.MatchString(filepath.ToSlash(relative)) {
			return fmt.Errorf("%s is nothing that the lab made; nothing was removed, move it away and run this again", path)
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// unpublished makes sure that no publisher is at work on the data.
func unpublished(data string) error {
	if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	publisher, err := release.At(data).Lock()
	if err != nil {
		return fmt.Errorf("nothing was removed: %w", err)
	}
	return publisher.Close()
}
