// Prints what a package is made of as CycloneDX 1.5: the npm packages of package-lock.json (Debian's npm has no "npm sbom"), Node, PJSIP, the voice detector, and the Debian packages that it
// depends on with the versions that it was built with. Nothing in it depends on the moment or the folder.
//   node scripts/deb/sbom.mjs VERSION ARCH BUILT WORK DEBIAN-PACKAGE...     WORK has the trees of the packages
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [version, arch, built, work, ...wanted] = process.argv.slice(2)
const root = join(import.meta.dirname, '../..')
const run = (program, words) =>
  execFileSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20, stdio: ['ignore', 'pipe', 'ignore'] })

function npmPackage([path, { version: itsVersion, license, integrity, optional, devOptional }]) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const ref = `${name}@${itsVersion}`
  const licence = /^[\w.+-]+$/.test(license ?? '') ? { license: { id: license } } : { expression: license }
  const [alg, content] = (integrity ?? '').split('-')
  return {
    ...{ 'bom-ref': ref, type: 'library', name, version: itsVersion, purl: `pkg:npm/${name.replace('@', '%40')}@${itsVersion}` },
    scope: optional === true || devOptional === true ? 'optional' : 'required',
    hashes: [{ alg: alg.replace('sha', 'SHA-'), content: Buffer.from(content, 'base64').toString('hex') }],
    ...(license === undefined ? {} : { licenses: [licence] }),
  }
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const running = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
)
const npm = [...new Map(running.map(npmPackage).map((one) => [one['bom-ref'], one])).values()]

const library = (name, itsVersion, purl, licence) => ({
  'bom-ref': purl,
  type: 'library',
  name,
  version: itsVersion,
  purl,
  ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
})

/** Of another machine's kind, the list of packages lies beside its libraries (scripts/cross-arm64). */
const admin = existsSync(join(built, 'sysroot/var/lib/dpkg/status')) ? [`--admindir=${join(built, 'sysroot/var/lib/dpkg')}`] : []
const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown'
function debian(name) {
  for (const known of [name, `${name}:${arch}`]) {
    try {
      const itsVersion = run('dpkg-query', [...admin, '-W', '-f', '${Version}', known])
      if (itsVersion !== '')
        return library(name, itsVersion, `pkg:deb/debian/${name}@${encodeURIComponent(itsVersion)}?arch=${arch}&distro=${release}`)
    } catch {
      // Not installed where it is built: the version is that of the machine on which it will run.
    }
  }
  return library(name, 'any', `pkg:deb/debian/${name}?arch=${arch}&distro=${release}`)
}

const variable = (file, name) => new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(root, file), 'utf8'))[1]
const node = variable('scripts/lib.sh', 'NODE_VERSION')
const pjsip = variable('scripts/pjsip', 'VERSION')

/** The lock has an optional package for each kind of machine, and some that only a benchmark wants. */
const trees = ['pbxd', 'pbxd-speech-engine'].map((name) => join(work, name, 'usr/lib/pbxd/package/node_modules'))
const inside = ({ scope, name }) => scope !== 'optional' || trees.some((tree) => existsSync(join(tree, name)))

const { id, licence, files } = JSON.parse(readFileSync(join(root, 'models/manifest.json'), 'utf8')).models.find(
  (model) => model.id === 'silero-vad',
)
const detector = {
  ...{ 'bom-ref': id, type: 'machine-learning-model', name: id, licenses: [{ expression: licence }] },
  hashes: files.map(({ sha256 }) => ({ alg: 'SHA-256', content: sha256 })),
}

const components = [
  ...npm.filter(inside),
  library('node', node, `pkg:generic/node@${node}?arch=${arch}`, 'MIT'),
  library('pjproject', pjsip, `pkg:generic/pjproject@${pjsip}`, 'GPL-2.0-or-later'),
  detector,
  ...[...new Set(wanted)].toSorted().map(debian),
].toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))

const seed = createHash('sha256')
  .update(JSON.stringify([version, arch, components]))
  .digest('hex')
const uuid = `${seed.slice(0, 8)}-${seed.slice(8, 12)}-4${seed.slice(13, 16)}-8${seed.slice(17, 20)}-${seed.slice(20, 32)}`
const itself = { ...library('pbxd', version, `pkg:deb/pbxd@${version}?arch=${arch}`, 'GPL-3.0-or-later'), type: 'application' }
const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${uuid}`,
  version: 1,
  metadata: { timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000).toISOString(), component: itself },
  components,
  dependencies: [{ ref: itself['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
}
console.log(JSON.stringify(document, null, 1))
