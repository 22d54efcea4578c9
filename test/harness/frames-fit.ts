/** Holds the frames of media streams that were really sent against their schemas. */
import { checker, type Check } from '../../daemon/http/validate.ts'
import { boxFrames, serverFrames, type FrameSpec } from '../../daemon/schema/stream-frames.ts'

const checksOf = (frames: Readonly<Record<string, FrameSpec>>): ReadonlyMap<string, Check> =>
  new Map(Object.entries(frames).map(([name, { schema }]) => [name, checker(schema, false)]))
const checks = { box: checksOf(boxFrames), server: checksOf(serverFrames) }

/** What is wrong with a frame of the box, or of the server, in words; nothing where it fits. */
export function frameMisfitsOf(frame: { readonly event?: unknown }, from: 'box' | 'server' = 'box'): string[] {
  const name = String(frame.event)
  const check = checks[from].get(name)
  if (check === undefined) return [`there is no frame ${name}`]
  return (check(structuredClone(frame)) ?? []).map(({ path, message }) => `${name}${path} ${message}`)
}
