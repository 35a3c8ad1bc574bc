package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"example.com/relevance-lab/shared/world"
)

// Schema is the version of the manifest, and of what the files of a build hold.
const Schema = 1

// Manifest says what a build holds and where it comes from.
type Manifest struct {
	Schema      int             `json:"schema"`
	Day         world.Day       `json:"day"`
	Build       string          `json:"build"` // day-hash8; see BuildName
	Rows        int             `json:"rows"`
	Threshold   world.Score     `json:"threshold"`
	Seed        uint64          `json:"seed"`
	World       string          `json:"world"`   // fingerprint of the world that was scored, 64 hex digits
	Content     string          `json:"content"` // fingerprint of the scored pairs, 64 hex digits
	Filter      Filter          `json:"filter"`
	Files       map[string]File `json:"files"`        // by name: ScoresFile and FilterFile
	PublishedAt time.Time       `json:"published_at"` // UTC; rises from publish to publish even if the clock does not
	Program     string          `json:"program"`
}

// Filter is the size of the build's Bloom filter.
type Filter struct {
	Bits   uint64 `json:"bits"`
	Hashes uint   `json:"hashes"`
}

// File is the size and the SHA-256, as 64 hex digits, of one file of a build.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// BuildName returns the name that follows from the content: the day and the first 8 hex digits of a SHA-256 over
// all that decides what the files hold. When and by which program it was published is not part of it.
func (m Manifest) BuildName() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "relevance-lab build\nschema %d\nday %s\nseed %d\nworld %s\nthreshold %s\n"+
		"rows %d\npairs %s\n", m.Schema, m.Day, m.Seed, m.World, m.Threshold, m.Rows, m.Content))
	return string(m.Day) + "-" + hex.EncodeToString(sum[:4])
}

// sameContent reports whether two manifests of one name are of one content, and not of two whose checksums have the
// same head.
func (m Manifest) sameContent(other Manifest) bool {
	return m.BuildName() == other.BuildName() && m.World == other.World && m.Content == other.Content
}

// ParseManifest reads a manifest and believes nothing in it: not the names of the files, which have to be exactly
// those of a build, and not the build's name, which has to follow from the content.
func ParseManifest(text []byte) (Manifest, error) {
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return Manifest{}, fmt.Errorf("not a manifest: %w", err)
	}
	if version.Schema != Schema {
		return Manifest{}, fmt.Errorf("schema %d is not the %d that this program reads", version.Schema, Schema)
	}
	var manifest Manifest
	if err := strictJSON(text, &manifest); err != nil {
		return Manifest{}, fmt.Errorf("not a manifest: %w", err)
	}
	return manifest, manifest.check()
}

func (m Manifest) check() error {
	if _, err := world.ParseDay(string(m.Day)); err != nil {
		return fmt.Errorf("day: %w", err)
	}
	switch {
	case m.Rows < 1:
		return fmt.Errorf("rows: %d", m.Rows)
	case !isSHA256(m.World):
		return fmt.Errorf("world: %.80q is not a fingerprint", m.World)
	case !isSHA256(m.Content):
		return fmt.Errorf("content: %.80q is not a fingerprint", m.Content)
	case m.Filter.Bits == 0 || m.Filter.Hashes == 0:
		return errors.New("filter: no bits or no hash functions")
	case m.PublishedAt.IsZero():
		return errors.New("published_at is missing")
	case m.Build != m.BuildName():
		return fmt.Errorf("build: %.80q is not %s, which follows from its content", m.Build, m.BuildName())
	}
	return m.checkFiles()
}

func (m Manifest) checkFiles() error {
	for name := range m.Files {
		if name != ScoresFile && name != FilterFile {
			return fmt.Errorf("files: %.80q is not a file of a build", name)
		}
	}
	for _, name := range []string{ScoresFile, FilterFile} {
		file, ok := m.Files[name]
		if !ok {
			return fmt.Errorf("files: %s is missing", name)
		}
		if file.Bytes < 1 || !isSHA256(file.SHA256) {
			return fmt.Errorf("files: %s has no size or no checksum", name)
		}
	}
	return nil
}

// strictJSON decodes one JSON value without unknown fields and with nothing behind it.
func strictJSON(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the closing brace")
	}
	return nil
}

var (
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	buildPattern  = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})-[0-9a-f]{8}$`)
)

func isSHA256(text string) bool { return sha256Pattern.MatchString(text) }

// isBuildName keeps everything from being a build that could lead out of the folder of the versions.
func isBuildName(text string) bool { return buildPattern.MatchString(text) }
