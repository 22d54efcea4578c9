/**
 * Loaded into a daemon before anything else: appends what happens in its calls to `PBX_WITNESS_FILE`, a line each, before anything can
 * follow from it; a killed process has written all that it knew.
 */
import { openSync, writeSync } from 'node:fs'
import { subscribe } from 'node:diagnostics_channel'

const file = openSync(process.env['PBX_WITNESS_FILE']!, 'a')
subscribe('pbxd:call', (happened) => {
  writeSync(file, `${JSON.stringify({ pid: process.pid, ...(happened as object) })}\n`)
})
