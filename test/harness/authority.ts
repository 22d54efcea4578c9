/** A certificate authority of a test, by openssl: issues certificates that are good, for another name, or long expired. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const openssl = (...words: string[]): Promise<unknown> => promisify(execFile)('openssl', words)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export interface Issued {
  /** PEM files. */
  readonly cert: string
  readonly key: string
}

export class Authority {
  /** Its own certificate, for a `caFile`. */
  readonly file: string
  readonly #dir: string

  private constructor(dir: string) {
    this.#dir = dir
    this.file = join(dir, 'ca.pem')
  }

  /** Makes the folder. */
  static async create(dir: string): Promise<Authority> {
    mkdirSync(dir, { recursive: true })
    const authority = new Authority(dir)
    await openssl(
      'req',
      '-x509',
      ...newKey,
      '-days',
      '2',
      '-subj',
      '/CN=Test authority',
      '-keyout',
      join(dir, 'ca.key'),
      '-out',
      authority.file,
    )
    writeFileSync(join(dir, 'index.txt'), '')
    return authority
  }

  /** `alt`: the subject alternative name, such as `IP:127.0.0.1` or `DNS:sip.example.net`; `years`: its notBefore and notAfter. */
  async issue(name: string, alt: string, years: readonly [number, number] = [2020, 2049]): Promise<Issued> {
    const at = (file: string) => join(this.#dir, file)
    const config = at(`${name}.cnf`)
    writeFileSync(
      config,
      `[ca]\ndefault_ca=own\n[own]\ndatabase=${at('index.txt')}\nnew_certs_dir=${this.#dir}\nrand_serial=yes\ndefault_md=sha256\n` +
        `certificate=${this.file}\nprivate_key=${at('ca.key')}\nunique_subject=no\npolicy=any\n[any]\ncommonName=supplied\n[server]\nsubjectAltName=${alt}\n`,
    )
    const issued = { cert: at(`${name}.pem`), key: at(`${name}.key`) }
    await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', issued.key, '-out', at(`${name}.csr`))
    const times = ['-startdate', `${years[0]}0101000000Z`, '-enddate', `${years[1]}0101000000Z`]
    await openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      config,
      '-extensions',
      'server',
      ...times,
      '-in',
      at(`${name}.csr`),
      '-out',
      issued.cert,
    )
    return issued
  }
}
