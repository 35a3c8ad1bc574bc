package service

import (
	"sync/atomic"
)

// snapshot is one version as it is served: filter, store and cache, which belong together and are replaced together.
// A filter's "certainly not" holds only for the keys it was built from, and a cached score only for its own version.
//
// It counts its users. The first is the service, while the snapshot is the current one; each request is another, and
// so is each batched read, which may outlive its request. After the last of them nobody can get hold of it again, and
// it is closed.
type snapshot struct {
	*Version
	cache  cache
	users  atomic.Int64
	unused chan struct{} // closed by the last user
}

func newSnapshot(version *Version, cacheSize int) *snapshot {
	s := &snapshot{Version: version, cache: newCache(cacheSize), unused: make(chan struct{})}
	s.users.Store(1)
	return s
}

// acquire makes the caller a user, and reports false when the last one has gone already.
func (s *snapshot) acquire() bool {
	for {
		users := s.users.Load()
		if users == 0 {
			return false
		}
		if s.users.CompareAndSwap(users, users+1) {
			return true
		}
	}
}

// release undoes one acquire.
func (s *snapshot) release() {
	if s.users.Add(-1) == 0 {
		close(s.unused)
	}
}

// current is the one pointer that a swap replaces.
type current struct{ pointer atomic.Pointer[snapshot] }

// acquire returns the current snapshot, which the caller has to release; nil when there is none.
func (c *current) acquire() *snapshot {
	for {
		s := c.pointer.Load()
		if s == nil || s.acquire() {
			return s
		}
		// It was replaced, and its last user went, between the two lines: the pointer holds another one by now.
	}
}

// swap puts next in place and returns the snapshot that was there before, without its first user.
func (c *current) swap(next *snapshot) (previous *snapshot) {
	previous = c.pointer.Swap(next)
	if previous != nil {
		previous.release()
	}
	return previous
}
