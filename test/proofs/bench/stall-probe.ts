/**
 * Loaded into the daemon with `node --import`: on SIGUSR2 it begins to measure how late its event loop is, on the next it writes what it
 * saw, as JSON, into the file that PBXD_STALLS names. One sample a millisecond; a stall is one sample as long as the stall. For the longest
 * stalls it reports what the thread did meanwhile: how long it ran, how long it waited for a processor (schedstat of the kernel), and how
 * much of the running was the garbage collector's.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

export interface LongStall {
  readonly ms: number
  readonly ranMs: number
  readonly waitedMs: number
  readonly collectedMs: number
}

const resolutionMs = 1
/** Shorter ones are not looked into. */
const longMs = 5
const mostLong = 200
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
let running = false
let long: (LongStall & { readonly from: number; readonly until: number })[] = []
let collections: { readonly from: number; readonly until: number }[] = []

/** Nanoseconds that this thread, the first of the process, has run, and has waited to run. */
function scheduled(): [ran: number, waited: number] {
  const [ran = 0, waited = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ').map(Number)
  return [ran, waited]
}

new PerformanceObserver((list) => {
  if (!running) return
  for (const { startTime, duration } of list.getEntries()) collections.push({ from: startTime, until: startTime + duration })
}).observe({ entryTypes: ['gc'] })

function watch(from: number, ran: number, waited: number): void {
  if (!running) return
  setTimeout(() => {
    const until = performance.now()
    const ms = until - from - resolutionMs
    const [ranNow, waitedNow] = scheduled()
    if (ms > longMs) {
      long.push({ ms, ranMs: (ranNow - ran) / 1e6, waitedMs: (waitedNow - waited) / 1e6, collectedMs: 0, from, until })
      long = long.toSorted((a, b) => b.ms - a.ms).slice(0, mostLong)
    }
    watch(until, ranNow, waitedNow)
  }, resolutionMs)
}

/** Collections are reported a moment after they ran. */
function collectedIn(from: number, until: number): number {
  return collections.reduce((sum, one) => sum + Math.max(0, Math.min(one.until, until) - Math.max(one.from, from)), 0)
}

process.on('SIGUSR2', () => {
  if (!running) {
    running = true
    long = []
    collections = []
    delay.reset()
    delay.enable()
    watch(performance.now(), ...scheduled())
    return
  }
  running = false
  delay.disable()
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const [p50, p99, p999] = [50, 99, 99.9].map((share) => late(delay.percentile(share)))
  const longest = long.map(({ ms, ranMs, waitedMs, from, until }) => ({ ms, ranMs, waitedMs, collectedMs: collectedIn(from, until) }))
  const seen = { samples: delay.count, p50, p99, p999, max: late(delay.max), longest }
  writeFileSync(process.env['PBXD_STALLS'] ?? '/dev/null', JSON.stringify(seen))
})
