/**
 * The licences of all that a package has from others, for one file: without the text of its licence nobody may pass a program on. Some packages
 * name a licence and bring no text of it, and some have programs of third parties in them.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const asIs = `THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED
TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF
LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`
const redistribution = `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the
documentation and/or other materials provided with the distribution.`

const words: Readonly<Record<string, string>> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  'BSD-2-Clause': `${redistribution}\n\n${asIs}`,
  'BSD-3-Clause': `${redistribution}

3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products derived from this
software without specific prior written permission.

${asIs}`,
  'Apache-2.0': 'Licensed under the Apache License, Version 2.0: on Debian systems the text is in /usr/share/common-licenses/Apache-2.0.',
}

/** A program, or data, of third parties that lies in the package of another. */
interface Part {
  readonly name: string
  readonly within: string | undefined
  readonly holder: string
  readonly licences: readonly string[]
}
const parts: readonly Part[] = [
  { name: 'PDFium', within: '@hyzyla/pdfium', holder: 'The PDFium Authors', licences: ['BSD-3-Clause', 'Apache-2.0'] },
  {
    ...{ name: 'libopus', within: 'opus-decoder', licences: ['BSD-3-Clause'] },
    holder:
      'Xiph.Org, Skype Limited, Octasic, Jean-Marc Valin, Timothy B. Terriberry, CSIRO, Gregory Maxwell, Mark Borgerding, Erik de Castro Lopo',
  },
  { name: 'PocketSphinx', within: 'soundswallower', holder: '1999-2016 Carnegie Mellon University', licences: ['BSD-2-Clause'] },
  { name: 'US English acoustic model', within: 'soundswallower', holder: '2015 Alpha Cephei Inc.', licences: ['BSD-2-Clause'] },
  { name: 'ONNX Runtime', within: 'sherpa-onnx-node', holder: 'Microsoft Corporation', licences: ['MIT'] },
  { name: 'Silero VAD', within: undefined, holder: 'Silero Team', licences: ['MIT'] },
]

export const packageOf = (file: string): string => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? ''

const section = (name: string, text: string): string => `== ${name}\n\n${text.trim()}\n`
const holds = (holder: string, names: readonly string[]): string =>
  [`Copyright (c) ${holder}`, ...names.map((name) => words[name])].join('\n\n')

interface Manifest {
  readonly license?: string
  readonly author?: string | { readonly name: string }
}
function named(folder: string, name: string): string {
  const { license = 'no licence', author } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  ) as Manifest
  if (words[license] === undefined)
    throw new Error(`${name} is under ${license} and brings no text of it: add it to scripts/deb/licences.ts`)
  return holds((typeof author === 'object' ? author.name : author) ?? `the authors of ${name}`, [license])
}

/** A section for each package of npm below `folder`, whose files are `files`, and for what lies in them. */
export function licences(folder: string, files: readonly string[]): string[] {
  const texts = files.filter((file) => /^(licen[cs]e|notice|copying)[^/]*$/i.test(basename(file)))
  // The licence of a part further inside is not that of the package.
  const covered = new Set(texts.filter((file) => dirname(file).endsWith(`node_modules/${packageOf(file)}`)).map(packageOf))
  const packages = [...new Set(files.map(packageOf))].filter((name) => name !== '')
  return [
    ...texts.map((file) => section(packageOf(file), readFileSync(join(folder, file), 'utf8'))),
    ...packages.filter((name) => !covered.has(name)).map((name) => section(name, named(folder, name))),
    ...parts
      .filter(({ within }) => within === undefined || packages.includes(within))
      .map((part) => section(part.within === undefined ? part.name : `${part.name}, in ${part.within}`, holds(part.holder, part.licences))),
  ]
}
