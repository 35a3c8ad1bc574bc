package cli

import "context"

// untilGoRunEnds returns ctx: Windows does not tell a program that its parent has ended.
func untilGoRunEnds(ctx context.Context) context.Context { return ctx }
