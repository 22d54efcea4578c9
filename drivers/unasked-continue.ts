/**
 * RFC 9110 section 15.2: a client passes over each 1xx that it did not expect. Undici does so with all but `100 Continue`, which it takes for a
 * fault of the server; some put it in front of every answer. Its parser is nobody's to extend, so the one method of it that knows 100 is.
 */
import type { Dispatcher } from 'undici'
// @ts-expect-error no types of its own
import symbols from 'undici/lib/core/symbols.js'

const { kSocket, kParser } = symbols as { readonly kSocket: unique symbol; readonly kParser: unique symbol }

interface Parser {
  onHeadersComplete(statusCode: number, upgrade: boolean, shouldKeepAlive: boolean): number
}

type Client = Dispatcher & { readonly [kSocket]?: { readonly [kParser]?: Parser } }

const mended = new WeakSet<Parser>()
const [continues, earlyHints] = [100, 103]

/** Returns the same dispatcher. */
export function passOverContinue<D extends Dispatcher>(dispatcher: D): D {
  dispatcher.on('connect', (_origin, targets) => {
    const parser = (targets.at(-1) as Client | undefined)?.[kSocket]?.[kParser]
    if (parser !== undefined) mend(Object.getPrototypeOf(parser) as Parser)
  })
  return dispatcher
}

function mend(prototype: Parser): void {
  if (mended.has(prototype)) return
  mended.add(prototype)
  const { onHeadersComplete } = prototype
  prototype.onHeadersComplete = function (this: Parser, statusCode, upgrade, shouldKeepAlive) {
    return onHeadersComplete.call(this, statusCode === continues ? earlyHints : statusCode, upgrade, shouldKeepAlive)
  }
}
