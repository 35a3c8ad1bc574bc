package world

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Fingerprint returns the SHA-256 of the config, the day, and every centre, id, vector and advertised product, as 64
// hexadecimal digits. Two worlds with the same fingerprint are the same world.
func (w *World) Fingerprint() string { return w.fingerprint }

func (w *World) hash() string {
	content := make([]byte, 0, 48*len(w.asins)+80*len(w.creatives)+4096)
	for _, number := range []uint64{
		w.config.Seed, uint64(w.config.ASINs), uint64(w.config.Categories), uint64(w.config.Creatives),
	} {
		content = binary.LittleEndian.AppendUint64(content, number)
	}
	content = append(content, w.day...)
	for i := range w.centres {
		content = w.centres[i].append(content)
	}
	for i := range w.asins {
		content = w.asins[i].append(appendASIN(content, i))
	}
	for j := range w.creatives {
		content = w.creatives[j].vector.append(appendCreative(content, j))
		content = append(content, byte(len(w.creatives[j].products)))
		for _, product := range w.creatives[j].products {
			content = binary.LittleEndian.AppendUint32(content, uint32(product))
		}
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func (v *Vector) append(dst []byte) []byte {
	for _, component := range v {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(component))
	}
	return dst
}
