/**
 * The certificate of the box and the authority that signs it, made by openssl(1). The authority can vouch for nothing but this box: its name
 * constraints (RFC 5280 section 4.2.1.10) are critical, and it may have no authority below it. So a person who trusts it trusts it for the box
 * alone, even if the key is stolen. Only what renews the certificate reads that key; the key of the certificate stays the same when it is
 * renewed, so that a renewal replaces one file.
 */
import { execFile } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { asOwnerOf, isRoot, writeFresh } from '../base/owner.ts'
import { isIP } from 'node:net'
import { isPrivate, privateNetworks, type BoxNames } from './names.ts'

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
  readonly authority: string
  /** Readable by who renews alone. */
  readonly authorityKey: string
}

/** They lie next to the configuration. */
export function filesBeside(configFile: string): CertificateFiles {
  const at = (name: string): string => join(dirname(configFile), name)
  return { cert: at('pbxd.crt'), key: at('pbxd.key'), authority: at('authority.crt'), authorityKey: at('authority.key') }
}

const dayMs = 86_400_000
const authorityDays = 3652
/** Browsers refuse more than 398 (CA/Browser Forum, Baseline Requirements 6.3.2). */
const leafDays = 397
/** A clock that is a little behind takes the certificate all the same. */
const backdatedMs = 3_600_000

/** Makes an authority and its key, in place of those that are there. */
export async function makeAuthority(files: CertificateFiles, { names, addresses }: BoxNames, now: number): Promise<void> {
  const key = newKey()
  const permitted = [
    ...[...new Set([...names, 'local'])].map((name) => `DNS:${name}`),
    ...privateNetworks.map((network) => `IP:${withMask(network)}`),
    ...addresses
      .filter((address) => !isPrivate(address))
      .map((address) => `IP:${withMask(`${address}/${isIP(address) === 6 ? 128 : 32}`)}`),
  ]
  const extensions = [
    'basicConstraints = critical, CA:TRUE, pathlen:0',
    'keyUsage = critical, keyCertSign, cRLSign',
    'subjectKeyIdentifier = hash',
    'nameConstraints = critical, @permitted',
    '[ permitted ]',
    ...permitted.map((one, at) => `permitted;${one.replace(/:.*/, '')}.${at} = ${one.replace(/^\w+:/, '')}`),
  ]
  const subject = `Telephone system ${names[0] ?? 'pbxd'}`
  const certificate = await signed({ subject, key, extensions, days: authorityDays, now })
  place(files.authorityKey, key, 0o600)
  place(files.authority, certificate, 0o644)
}

/** Makes the certificate, with a key of its own where there is none. Names for which the authority may not sign are left out. */
export async function makeLeaf(files: CertificateFiles, wanted: BoxNames, now: number, keepKey = true): Promise<void> {
  const { names, addresses } = await permittedOf(files, wanted)
  if (names.length + addresses.length === 0) throw new Error('the box has no name and no address that its authority may sign for')
  const keeps = keepKey && existsSync(files.key)
  const key = keeps ? readFileSync(files.key, 'utf8') : newKey()
  const extensions = [
    'basicConstraints = critical, CA:FALSE',
    'keyUsage = critical, digitalSignature',
    'extendedKeyUsage = serverAuth',
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid:always',
    'subjectAltName = @names',
    '[ names ]',
    ...names.map((name, at) => `DNS.${at} = ${name}`),
    ...addresses.map((address, at) => `IP.${at} = ${address}`),
  ]
  const by = { key: files.authorityKey, certificate: files.authority }
  const certificate = await signed({ subject: names[0] ?? addresses[0]!, key, extensions, days: leafDays, now, by })
  if (!keeps) place(files.key, key, 0o640)
  place(files.cert, certificate, 0o644)
}

/** What of these the authority may sign for. */
export async function permittedOf({ authority }: Pick<CertificateFiles, 'authority'>, { names, addresses }: BoxNames): Promise<BoxNames> {
  const text = await openssl(['x509', '-in', authority, '-noout', '-ext', 'nameConstraints'])
  const domains = [...text.matchAll(/DNS:([^\s,]+)/g)].map(([, name = '']) => name.replace(/^\./, '').toLowerCase())
  const single = [...text.matchAll(/IP:([\d.]+)\/255\.255\.255\.255/g)].map(([, address]) => address)
  return {
    names: names.filter((name) => domains.some((domain) => name === domain || name.endsWith(`.${domain}`))),
    addresses: addresses.filter((address) => isPrivate(address) || single.includes(address)),
  }
}

interface Wanted {
  readonly subject: string
  /** PEM. */
  readonly key: string
  /** Lines of a section of a configuration of openssl, and sections that it refers to. */
  readonly extensions: readonly string[]
  readonly days: number
  readonly now: number
  /** Names of files; itself where it is left out. */
  readonly by?: { readonly key: string; readonly certificate: string }
}

/** In PEM. */
async function signed({ subject, key, extensions, days, now, by }: Wanted): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-certificate-'))
  const at = (name: string): string => join(dir, name)
  try {
    writeFileSync(at('key'), key, { mode: 0o600 })
    writeFileSync(at('index'), '')
    writeFileSync(at('conf'), [...settings(dir), '[ extensions ]', ...extensions, ''].join('\n'))
    await openssl(['req', '-new', '-config', at('conf'), '-key', at('key'), '-subj', `/CN=${subject.slice(0, 64)}`, '-out', at('request')])
    const from = now - backdatedMs
    const times = ['-startdate', timeOf(from), '-enddate', timeOf(from + days * dayMs - 1000)]
    const signer = by === undefined ? ['-selfsign', '-keyfile', at('key')] : ['-keyfile', by.key, '-cert', by.certificate]
    const words = ['ca', '-batch', '-notext', '-config', at('conf'), '-extensions', 'extensions', ...signer, ...times]
    await openssl([...words, '-in', at('request'), '-out', at('certificate')])
    return readFileSync(at('certificate'), 'utf8')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Of `openssl req` and `openssl ca`, whose dates can be said. */
const settings = (dir: string): string[] => [
  '[ req ]',
  'distinguished_name = none',
  'prompt = no',
  '[ none ]',
  '[ ca ]',
  'default_ca = box',
  '[ box ]',
  `database = ${dir}/index`,
  `new_certs_dir = ${dir}`,
  'rand_serial = yes',
  'unique_subject = no',
  'default_md = sha256',
  'policy = any',
  '[ any ]',
  'commonName = supplied',
]

async function openssl(words: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('openssl', [...words], { timeout: 60_000 })).stdout
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    throw new Error(`openssl ${words[0]}: ${stderr.trim().split('\n').at(-1) || message}`, { cause: error })
  }
}

/** GeneralizedTime. */
const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** 10.0.0.0/8 as 10.0.0.0/255.0.0.0, which is how constraints are written. */
function withMask(network: string): string {
  const [address = '', bits = ''] = network.split('/')
  const six = isIP(address) === 6
  const ones = Array.from({ length: six ? 128 : 32 }, (_, at) => (at < Number(bits) ? '1' : '0')).join('')
  const groups = ones.match(six ? /.{16}/g : /.{8}/g) ?? []
  return `${address}/${groups.map((group) => Number.parseInt(group, 2).toString(six ? 16 : 10)).join(six ? ':' : '.')}`
}

/** A key that the service reads is its group's. */
function place(file: string, content: string, mode: number): void {
  writeFresh(file, content, mode)
  asOwnerOf(dirname(file), () => {
    chmodSync(file, mode)
    if (isRoot() && mode === 0o640) chownSync(file, 0, statSync(dirname(file)).gid)
  })
}

/** null where it is none. */
export function readCertificate(file: string): X509Certificate | null {
  try {
    return new X509Certificate(readFileSync(file))
  } catch {
    return null
  }
}
