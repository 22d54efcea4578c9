import t from 'tap'

/** Ends a file of tests that lacks something here: it counts as skipped, with the reason, and not as passed. */
export function skipFile(reason: string): never {
  t.plan(0, reason)
  process.exit(0)
}
