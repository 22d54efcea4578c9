/** What the schema cannot say of media streams. */
import { accessSync, constants } from 'node:fs'
import type { Config } from '../../schema/config.ts'
import type { MeaningContext } from '../meaning.ts'

export function checkStreams({ voice: { streamCaFile } }: Config, { fault }: MeaningContext): void {
  if (streamCaFile === undefined) return
  try {
    accessSync(streamCaFile, constants.R_OK)
  } catch {
    fault(['voice', 'streamCaFile'], `the file ${streamCaFile} cannot be read by this user`)
  }
}
