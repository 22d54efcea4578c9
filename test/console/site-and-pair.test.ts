/** Health and Lines of a box that is a pair of machines and knows another site: both show the site, Health who serves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { overflow, violations } from '../harness/browser.ts'
import { ConsoleBox } from '../harness/console.ts'

t.setTimeout(240_000)
const dir = mkdtempSync(join(tmpdir(), 'pbxd-pair-'))
t.teardown(() => rmSync(dir, { recursive: true }))
const names = [hostname(), 'machine-b']
/** As the agent of the machine writes it every ten seconds, from what Pacemaker says. */
const pairFile = join(dir, 'state.xml')
const tell = (): void =>
  writeFileSync(
    pairFile,
    `<crm_mon version="2.1.5"><summary><current_dc present="true" with_quorum="true"/></summary>
<nodes>${names.map((name) => `<node name="${name}" id="1" online="true" standby="false" unclean="false" type="member"/>`).join('')}</nodes>
<resources><resource id="daemon" role="Started" failed="false"><node name="${names[0]}" id="1" cached="true"/></resource></resources>
<node_attributes>${names.map((name) => `<node name="${name}"><attribute name="pbxd-fit" value="1"/><attribute name="pbxd-version" value="0.1.0"/></node>`).join('')}</node_attributes></crm_mon>
<!-- witness Connected -->`,
  )
tell()
const box = await ConsoleBox.open(t, {
  env: { PBXD_PAIR: pairFile },
  settings: (base) => {
    base['sites'] = [{ id: 'north', server: '127.0.0.9:5060', transport: 'udp', password: 'between-both', extensions: '2xx' }]
  },
})
const ted = await box.person({ login: 'ted', name: 'Ted Moor', roles: ['technician'] })

t.test(
  'the site is a line of its own kind; the machine that serves, the other one and the witness are there, on a telephone too',
  async (t) => {
    await box.visit(t, { as: ted }, async (page) => {
      tell()
      await page.goto('/health')
      await page.getByRole('row', { name: /site:north.*another site/s }).waitFor()
      await page.getByText('machine-b ready').waitFor()
      await page.getByText('machine that serves, since').waitFor()
      t.same(await violations(page), [])
      await page.goto('/lines')
      await page.getByRole('row', { name: /site:north.*another site/s }).waitFor()
      await page.setViewportSize({ width: 400, height: 800 })
      t.equal(await overflow(page), 0)
    })
  },
)
