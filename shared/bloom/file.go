package bloom

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	bits "github.com/bits-and-blooms/bloom/v3"
)

// ErrDamaged is in the chain of every error by which Load refuses a file's content.
var ErrDamaged = errors.New("not a whole filter file")

// A filter file is a header, the bits in words of 64, and the SHA-256 of all that comes before it. Numbers are
// little-endian. The last byte of the magic is the version of the format.
const (
	magic     = "RLBLOOM\x01"
	wordBytes = 8
	maxHashes = 64
)

type header struct {
	Magic  [len(magic)]byte
	Keys   uint64
	Bits   uint64
	Hashes uint64
}

var headerBytes = int64(binary.Size(header{}))

// Save writes the filter to a new file at path and flushes it to the disk. After an error there is no file.
func (f *Filter) Save(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("save the filter: %w", err)
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			_ = os.Remove(path)
			err = fmt.Errorf("save the filter: %w", err)
		}
	}()
	if err := f.write(file); err != nil {
		return err
	}
	return file.Sync()
}

func (f *Filter) write(file io.Writer) error {
	sum := sha256.New()
	buffered := bufio.NewWriterSize(file, 1<<16)
	both := io.MultiWriter(buffered, sum)
	head := header{Keys: uint64(f.keys), Bits: f.Bits(), Hashes: uint64(f.Hashes())}
	copy(head.Magic[:], magic)
	if err := binary.Write(both, binary.LittleEndian, head); err != nil {
		return err
	}
	if err := binary.Write(both, binary.LittleEndian, f.bits.BitSet().Words()); err != nil {
		return err
	}
	if _, err := buffered.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buffered.Flush()
}

// Load reads a filter that Save wrote. It believes nothing: sizes are checked against the file's own before memory is
// asked for, so that it never takes more than the file's size and a small buffer, and a file that is cut short,
// changed or of another kind is refused with an error that names it.
func Load(path string) (*Filter, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load the filter: %w", err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("load the filter: %s: %w: not a regular file", path, ErrDamaged)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load the filter: %w", err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, fmt.Errorf("load the filter: %w", err)
	}
	filter, err := read(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("load the filter: %s: %w", path, err)
	}
	return filter, nil
}

func read(file io.Reader, size int64) (*Filter, error) {
	sum := sha256.New()
	head, err := readHeader(io.TeeReader(file, sum), size)
	if err != nil {
		return nil, err
	}
	words := make([]uint64, wordsFor(head.Bits))
	if err := readWords(file, sum, words); err != nil {
		return nil, err
	}
	var stored [sha256.Size]byte
	if _, err := io.ReadFull(file, stored[:]); err != nil {
		return nil, cutShort(err)
	}
	if !bytes.Equal(stored[:], sum.Sum(nil)) {
		return nil, fmt.Errorf("%w: its checksum does not match", ErrDamaged)
	}
	return &Filter{bits: bits.FromWithM(words, uint(head.Bits), uint(head.Hashes)), keys: int(head.Keys)}, nil
}

func readHeader(file io.Reader, size int64) (header, error) {
	var head header
	if err := binary.Read(file, binary.LittleEndian, &head); err != nil {
		return head, cutShort(err)
	}
	switch {
	case string(head.Magic[:]) != magic:
		return head, fmt.Errorf("%w: it begins with %q", ErrDamaged, head.Magic[:])
	case head.Bits == 0 || head.Bits > 8*uint64(size): // also keeps the sums below from wrapping around
		return head, fmt.Errorf("%w: it claims %d bits in %d bytes", ErrDamaged, head.Bits, size)
	case headerBytes+wordsFor(head.Bits)*wordBytes+sha256.Size != size:
		return head, fmt.Errorf("%w: %d bytes are not the size of a filter of %d bits", ErrDamaged, size, head.Bits)
	case head.Hashes == 0 || head.Hashes > maxHashes:
		return head, fmt.Errorf("%w: it claims %d hash functions", ErrDamaged, head.Hashes)
	case head.Keys > math.MaxInt:
		return head, fmt.Errorf("%w: it claims %d keys", ErrDamaged, head.Keys)
	}
	return head, nil
}

// readWords reads piece by piece, so that the file's bytes and the words never stand in memory twice.
func readWords(file io.Reader, sum hash.Hash, words []uint64) error {
	piece := make([]byte, min(1<<16, len(words)*wordBytes))
	for len(words) > 0 {
		part := piece[:min(len(piece), len(words)*wordBytes)]
		if _, err := io.ReadFull(file, part); err != nil {
			return cutShort(err)
		}
		sum.Write(part)
		for ; len(part) > 0; part, words = part[wordBytes:], words[1:] {
			words[0] = binary.LittleEndian.Uint64(part)
		}
	}
	return nil
}

func wordsFor(bits uint64) int64 { return int64((bits + 63) / 64) }

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	return err
}
