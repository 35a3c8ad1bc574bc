// Command dist packs the checkout into dist/relevance-lab.zip, for people who do not use git. The zip holds the files
// that git tracks (without git: all files but those that runs make), below one folder relevance-lab/, and not the
// solutions of the exercises. The same files always give the same bytes: names are sorted and times are fixed.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
)

func main() {
	cli.Main(func(ctx context.Context) error {
		flags := cli.Flags("dist packs the checkout into dist/relevance-lab.zip.")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		root, err := home.Checkout()
		if err != nil {
			return err
		}
		return pack(ctx, root, os.Stdout)
	})
}

// top is the folder that the zip unpacks into.
const top = "relevance-lab"

// pack writes the zip.
func pack(ctx context.Context, root string, out io.Writer) error {
	files, err := list(ctx, root)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, file := range files {
		if err := add(archive, root, file); err != nil {
			return fmt.Errorf("pack %s: %w", file.path, err)
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	folder := filepath.Join(root, "dist")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := record.WriteFile(filepath.Join(folder, top+".zip"), packed.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(out, "dist/%s.zip: %d files, %s\n", top, len(files), humanize.IBytes(uint64(packed.Len())))
	return nil
}

// file is one file to pack.
type file struct {
	path       string // from root, with forward slashes
	executable bool
}

// packedAt is the time of every file in the zip: the earliest that zip can express.
var packedAt = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

func add(archive *zip.Writer, root string, file file) error {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file.path)))
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: top + "/" + file.path, Method: zip.Deflate, Modified: packedAt}
	header.SetMode(0o644)
	if file.executable {
		header.SetMode(0o755)
	}
	writer, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = writer.Write(content)
	return err
}

// made are the files that runs, builds and editors make, and the solutions, which students do not get.
var made = regexp.MustCompile(`^(data|results|dist|bin|\.tools|\.git|site/public)(/|$)` +
	`|^steps/[^/]+/solution/|\.(test|prof|exe)$|(^|/)\.DS_Store$`)

// list returns the files to pack, sorted.
func list(ctx context.Context, root string) ([]file, error) {
	files, err := tracked(ctx, root)
	if errors.Is(err, errNoGit) {
		files, err = walk(root)
	}
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f file) bool { return made.MatchString(f.path) })
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, nil
}

// errNoGit says that the checkout is not git's, or that git is not there.
var errNoGit = errors.New("not a git checkout")

// tracked lists what git tracks. Git knows on every system which files are executable.
func tracked(ctx context.Context, root string) (files []file, err error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		return nil, errNoGit // a zip that was unpacked within some other repository is not that repository's
	}
	output, err := exec.CommandContext(ctx, "git", "-C", root, "ls-files", "--stage", "-z").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errNoGit
	}
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for entry := range strings.SplitSeq(strings.TrimRight(string(output), "\x00"), "\x00") {
		status, path, found := strings.Cut(entry, "\t") // "100755 <hash> 0\t<path>"
		if !found {
			continue
		}
		if strings.HasPrefix(status, "120000") || strings.HasPrefix(status, "160000") {
			return nil, fmt.Errorf("%s is a symbolic link or a submodule, which a zip for every system cannot hold", path)
		}
		files = append(files, file{path: path, executable: strings.HasPrefix(status, "100755")})
	}
	if len(files) == 0 {
		return nil, errors.New("git tracks no file here yet; commit first")
	}
	return files, nil
}

// walk lists the files of a checkout without git.
func walk(root string) (files []file, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		switch {
		case made.MatchString(relative) && entry.IsDir():
			return filepath.SkipDir
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return err
			}
			files = append(files, file{path: relative, executable: info.Mode()&0o111 != 0})
		}
		return nil
	})
	return files, err
}
