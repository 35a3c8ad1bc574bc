package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The instants between two system calls that a kill from outside hardly ever meets, reached by stopping there.

func staged(t *testing.T, dir Dir, text string) (*Publisher, Manifest) {
	publisher, err := dir.Lock()
	require.NoError(t, err)
	stage, err := publisher.Stage()
	require.NoError(t, err)
	for _, name := range []string{ScoresFile, FilterFile} {
		require.NoError(t, os.WriteFile(filepath.Join(stage, name), []byte(text), 0o644))
	}
	hash := strings.Repeat("ab", 32)
	return publisher, Manifest{Day: "2026-10-30", Rows: 1 + len(text), World: hash, Content: hash, Filter: Filter{1, 1}}
}

func published(t *testing.T, dir Dir, text string) Manifest {
	publisher, manifest := staged(t, dir, text)
	manifest, err := publisher.Commit(manifest)
	require.NoError(t, err)
	require.NoError(t, publisher.Close())
	return manifest
}

// die is what the system does for a killed publisher: it lets go of the lock, and nothing else.
func die(t *testing.T, publisher *Publisher) { require.NoError(t, publisher.lock.Unlock()) }

func TestABuildThatWasNeverLiveIsGoneAfterTheKill(t *testing.T) {
	dir := At(t.TempDir())
	first := published(t, dir, "first")
	publisher, manifest := staged(t, dir, "second")
	manifest, err := publisher.seal(manifest)
	require.NoError(t, err)
	require.NoError(t, publisher.place(manifest))
	die(t, publisher) // complete, and current.json does not name it yet

	pinned, err := dir.Pin()
	require.NoError(t, err)
	assert.Equal(t, first.Build, pinned.Manifest.Build)
	require.NoError(t, pinned.Close())

	third := published(t, dir, "number three")
	assert.NoDirExists(t, dir.folder(manifest.Build))
	back, err := dir.Rollback("")
	require.NoError(t, err)
	assert.Equal(t, first.Build, back.Build, "not to what nobody has ever seen live")
	assert.DirExists(t, dir.folder(third.Build))
}

func TestABuildThatHadJustBecomeLiveStaysAfterTheKill(t *testing.T) {
	dir := At(t.TempDir())
	published(t, dir, "first")
	publisher, manifest := staged(t, dir, "second")
	manifest, err := publisher.seal(manifest)
	require.NoError(t, err)
	require.NoError(t, publisher.place(manifest))
	require.NoError(t, publisher.Point(manifest))
	die(t, publisher)

	next, err := dir.Lock()
	require.NoError(t, err)
	require.NoError(t, next.Close())
	live, err := dir.Current()
	require.NoError(t, err)
	assert.Equal(t, manifest.Build, live.Build)
	assert.DirExists(t, dir.folder(manifest.Build))
}

func TestTheFirstPublishKilledBeforeItWasLiveLeavesNoVersion(t *testing.T) {
	dir := At(t.TempDir())
	publisher, manifest := staged(t, dir, "first")
	manifest, err := publisher.seal(manifest)
	require.NoError(t, err)
	require.NoError(t, publisher.place(manifest))
	die(t, publisher)

	_, err = dir.Pin()
	require.ErrorIs(t, err, ErrNoVersion)
	published(t, dir, "first")
}

func TestWhileCurrentCannotBeReadNoBuildIsWithdrawn(t *testing.T) {
	dir := At(t.TempDir())
	publisher, manifest := staged(t, dir, "first")
	manifest, err := publisher.seal(manifest)
	require.NoError(t, err)
	require.NoError(t, publisher.place(manifest))
	die(t, publisher)
	require.NoError(t, os.WriteFile(filepath.Join(dir.data, pointerFile), []byte("?"), 0o644))

	next, err := dir.Lock()
	require.NoError(t, err)
	require.NoError(t, next.Close())
	assert.DirExists(t, dir.folder(manifest.Build))
}

func TestABuildThatIsBeingRemovedCannotBePinned(t *testing.T) {
	dir := At(t.TempDir())
	build := published(t, dir, "first").Build
	remover := flock.New(filepath.Join(dir.folder(build), ManifestFile), flock.SetFlag(os.O_RDONLY))
	locked, err := remover.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	_, err = dir.pin(build)
	require.ErrorIs(t, err, errBusy)
	require.NoError(t, remover.Unlock())
	pinned, err := dir.pin(build)
	require.NoError(t, err)
	require.NoError(t, pinned.Close())
}

func FuzzPointer(f *testing.F) {
	f.Add([]byte(`{"day":"2026-10-30","build":"2026-10-30-3f9c2a1b"}`))
	f.Add([]byte(`{"day":"2026-10-30","build":"../../etc/passwd"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		live, err := parsePointer(content)
		if err == nil {
			require.Regexp(t, `^\d{4}-\d{2}-\d{2}-[0-9a-f]{8}$`, live.Build)
		}
	})
}
