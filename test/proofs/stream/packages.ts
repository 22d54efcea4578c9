/**
 * Programs of others that speak Twilio's frames, as their authors publish them: npm packages, and Twilio's samples out of its repository at a
 * fixed commit. They lie in `.cache/stream-peers`, which `scripts/run test/proofs/stream/main.ts install` fills; nothing of them is ours.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../harness/daemon.ts'
import { installLocked, isInstalled } from '../bench/peer-packages.ts'

export const folder = join(root, '.cache', 'stream-peers')
const source = join(import.meta.dirname, 'packages')
const samplesCommit = '09d208b2ce2f6bc9b0ce4a4b05f929370d448bb6'
/** Another place of the same repository, such as a copy on this machine. */
const samplesFrom = process.env['PBXD_MEDIA_STREAMS'] ?? 'https://github.com/twilio/media-streams'
const samples = join(folder, 'samples')

export const sampleFile = (name: string): string => join(samples, 'node', name, 'server.js')
/** A package's file, by its path. */
export const packageFile = (path: string): string => join(folder, 'node_modules', path)

const command = 'scripts/run test/proofs/stream/main.ts install'

/** Why the packages of npm cannot be used here; false when they can. */
export const noPackages = (): string | false => (isInstalled(source, folder) ? false : `not installed: ${command}`)

/** The same of Twilio's samples, which need those packages. */
export const noSamples = (): string | false =>
  noPackages() || (existsSync(sampleFile('connect-basic')) ? false : `Twilio's samples are not there: ${command} (needs github.com)`)

/** Of their peers only those that the transport imports are named. */
const installPackages = (): void => installLocked(source, folder, '--legacy-peer-deps')

function fetchSamples(): void {
  if (existsSync(sampleFile('connect-basic'))) return
  const part = mkdtempSync(join(folder, 'part-'))
  try {
    const git = (...words: string[]) => execFileSync('git', ['-C', part, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    git('init', '-q')
    git('fetch', '-q', '--depth', '1', samplesFrom, samplesCommit)
    git('checkout', '-q', 'FETCH_HEAD')
    rmSync(samples, { recursive: true, force: true })
    renameSync(part, samples)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

/** Answers what could not be had, with the reason; `npmOnly`: without the samples, which only github.com has. */
export function install(npmOnly: boolean): string[] {
  const missing: string[] = []
  const wanted = [['packages of npm', installPackages] as const, ...(npmOnly ? [] : [["Twilio's samples", fetchSamples] as const])]
  for (const [what, get] of wanted) {
    try {
      get()
    } catch (error) {
      missing.push(`${what}: ${error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error)}`)
    }
  }
  return missing
}
