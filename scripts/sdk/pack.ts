/**
 * Packs the helper packages for applications: pbxd-VERSION.tgz by `npm pack` of the compiled TypeScript, and
 * pbxd-VERSION-py3-none-any.whl, which is a zip file of the form of PEP 427, written by the zipfile module of Python.
 *   scripts/run scripts/sdk/pack.ts FOLDER
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { root } from '../../daemon/base/root.ts'

const own = join(root, 'scripts/sdk')
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; license: string }
const about = 'Applications for the pbxd telephone system: typed verbs and events, signatures, servers and the HTTP interface'
/** Files of a package have one time, so that packing twice gives the same bytes. */
const epoch = process.env['SOURCE_DATE_EPOCH'] ?? '1767225600'

const compilerOptions = {
  ...{ target: 'es2024', lib: ['es2024'], module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true },
  ...{ rewriteRelativeImportExtensions: true, declaration: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
}

/** File name of the package in `folder`. */
export function packTypescript(folder: string): string {
  const work = mkdtempSync(join(tmpdir(), 'pbxd-sdk-'))
  try {
    const typeRoots = [join(root, 'node_modules/@types')]
    const config = { compilerOptions: { ...compilerOptions, typeRoots, rootDir: join(own, 'typescript'), outDir: join(work, 'dist') } }
    writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ ...config, files: [join(own, 'typescript/index.ts')] }))
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', work], { stdio: ['ignore', 2, 2] })
    const manifest = {
      ...{ name: 'pbxd', version, description: about, license, type: 'module', engines: { node: '>=22' }, sideEffects: false },
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      files: ['dist'],
    }
    writeFileSync(join(work, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    cpSync(join(root, 'docs/sdk.md'), join(work, 'README.md'))
    cpSync(join(root, 'LICENSE'), join(work, 'LICENSE'))
    const npm = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', resolve(folder)]
    return execFileSync(...npmCommand(npm, words), { cwd: work, encoding: 'utf8' }).trim()
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The npm next to this Node, or the one of the machine. */
function npmCommand(npm: string, words: readonly string[]): [file: string, words: string[]] {
  try {
    readFileSync(npm)
    return [process.execPath, [npm, ...words]]
  } catch {
    return ['npm', [...words]]
  }
}

const wheelProgram = `
import base64, hashlib, pathlib, sys, time, zipfile
source, target, version, summary, licence, epoch, text = sys.argv[1:]
stamp = time.gmtime(int(epoch))[:6]
info = f"pbxd-{version}.dist-info"
files = {f"pbxd/{path.name}": path.read_bytes() for path in sorted(pathlib.Path(source, "pbxd").iterdir()) if path.suffix in (".py", ".typed")}
files[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\\nName: pbxd\\nVersion: {version}\\nSummary: {summary}\\nLicense: {licence}\\n"
    "Requires-Python: >=3.11\\nProvides-Extra: flask\\nProvides-Extra: fastapi\\nRequires-Dist: flask; extra == 'flask'\\n"
    "Requires-Dist: fastapi; extra == 'fastapi'\\n").encode()
files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\\nGenerator: pbxd\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
files[f"{info}/LICENSE"] = pathlib.Path(text).read_bytes()
digest = lambda data: "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
record = "".join(f"{name},{digest(data)},{len(data)}\\n" for name, data in files.items())
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\\n").encode()
name = f"pbxd-{version}-py3-none-any.whl"
with zipfile.ZipFile(pathlib.Path(target, name), "w", zipfile.ZIP_DEFLATED) as wheel:
    for path, data in files.items():
        entry = zipfile.ZipInfo(path, stamp)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        wheel.writestr(entry, data)
print(name)
`

/** File name of the wheel in `folder`. */
export function packPython(folder: string): string {
  const words = ['-c', wheelProgram, join(own, 'python'), resolve(folder), version, about, license, epoch, join(root, 'LICENSE')]
  return execFileSync('python3', words, { encoding: 'utf8' }).trim()
}

if (import.meta.main) {
  const [, , folder] = process.argv
  if (folder === undefined) {
    process.stderr.write('which folder? scripts/run scripts/sdk/pack.ts FOLDER\n')
    process.exitCode = 2
  } else {
    mkdirSync(folder, { recursive: true })
    for (const pack of [packTypescript, packPython]) process.stdout.write(`${join(folder, pack(folder))}\n`)
  }
}
