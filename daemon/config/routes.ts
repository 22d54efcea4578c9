/** The configuration of the running daemon, and its changes: for technicians. */
import { Type } from '@sinclair/typebox'
import type { ConfigDesk } from './desk.ts'
import type { Revisions } from './revisions.ts'
import { isoTime } from '../base/clock.ts'
import {
  ConfigApplyRequestSchema,
  ConfigChangeSchema,
  ConfigCheckRequestSchema,
  ConfigCheckSchema,
  ConfigEditedSchema,
  ConfigEditRequestSchema,
  ConfigRevertRequestSchema,
  ConfigRevisionSchema,
  ConfigStateSchema,
  ConfigTextSchema,
  ConfigUnderWaySchema,
  RevisionChangedSchema,
  type ConfigRevisionView,
  type ConfigTextView,
} from '../schema/config/change.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { valuesOf, withValues } from './edit.ts'
import { ConfigTexts } from './texts.ts'

const access = 'technician'
const people = ['technician'] as const
const tag = 'Configuration'
/** A file of a few hundred phones is 100 kB. */
const limitBytes = 2 * 1024 * 1024
const begun = { 202: { description: 'It has begun; the state of the configuration shows its progress.', schema: ConfigUnderWaySchema } }
const changedMeanwhile = { 409: { description: '`revision_changed`, `config_change_running`.', schema: RevisionChangedSchema } }
const RevisionNumber = Type.String({ pattern: '^[1-9]\\d{0,9}$' })

export interface ConfigurationServices {
  readonly desk: ConfigDesk
  readonly revisions: Pick<Revisions, 'list' | 'get' | 'maskKey'>
}

export function configurationRoutes(services: ConfigurationServices): Route[] {
  const { desk } = services
  const texts = new ConfigTexts(services)
  return [
    defineRoute({
      method: 'GET',
      path: '/api/config',
      access,
      people,
      operationId: 'getConfigState',
      summary: 'Which configuration is in use, and how far the latest change is',
      tag,
      responses: { 200: { description: 'The state.', schema: ConfigStateSchema } },
      handle: () => ({ status: 200, body: desk.state() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/config/check',
      access,
      people,
      operationId: 'checkConfig',
      summary: 'Check a configuration as the user of the service, and say what it would change',
      tag,
      body: ConfigCheckRequestSchema,
      limitBytes,
      responses: { 200: { description: 'Faults, warnings and changes.', schema: ConfigCheckSchema }, ...changedMeanwhile },
      handle: ({ body }) => ({ status: 200, body: texts.check(body) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/config/apply',
      access,
      people,
      operationId: 'applyConfig',
      deed: 'config.apply',
      summary: 'Put a configuration to use',
      tag,
      body: ConfigApplyRequestSchema,
      limitBytes,
      responses: { ...begun, ...changedMeanwhile },
      handle: ({ body, deed }) => ({ status: 202, body: texts.apply({ ...body, by: deed.actor }) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/config/confirm',
      access,
      people,
      operationId: 'confirmConfig',
      deed: 'config.confirm',
      summary: 'Let the change stand that waits for it',
      tag,
      responses: { 200: { description: 'The change.', schema: ConfigUnderWaySchema } },
      handle: () => ({ status: 200, body: desk.confirm() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/config/revert',
      access,
      people,
      operationId: 'revertConfig',
      deed: 'config.revert',
      summary: 'Take back what is under way, or go back to an earlier revision',
      tag,
      body: ConfigRevertRequestSchema,
      responses: begun,
      handle: ({ body: { revision, ...order }, deed }) => ({ status: 202, body: desk.revert(revision, { ...order, by: deed.actor }) }),
    }),
    textRoute(texts),
    editRoute(),
    ...revisionRoutes(services),
  ]
}

function textRoute(texts: ConfigTexts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/config/text',
    access,
    people,
    operationId: 'getConfigText',
    deed: 'config.read',
    summary: 'The text of the configuration, without its secrets',
    description:
      'What the file says now, with comments; a file that is refused is shown with its faults. Each secret is a mark such as (kept ab12); where the mark is sent back with check or apply, it means the secret in use.',
    tag,
    query: Type.Object({ revision: Type.Optional(RevisionNumber) }),
    responses: { 200: { description: 'The text.', schema: ConfigTextSchema, example: textExample } },
    handle: ({ query: { revision }, deed }) => {
      deed.about(revision === undefined ? 'file' : `revision:${revision}`)
      return { status: 200, body: texts.read(numberOf(revision)) }
    },
  })
}

/** Of the text that it is given, and of nothing else. */
function editRoute(): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/config/edit',
    access,
    people,
    operationId: 'editConfigText',
    summary: 'Set sections in a text of the configuration, and keep its comments',
    description: 'Nothing is applied or kept: the answer is the text for check and apply. Secrets stay the marks that they are.',
    tag,
    body: ConfigEditRequestSchema,
    limitBytes,
    responses: { 200: { description: 'The text, and what its sections say.', schema: ConfigEditedSchema } },
    handle: ({ body: { text, values } }) => {
      const edited = values === undefined ? text : withValues(text, values)
      return { status: 200, body: { text: edited, values: valuesOf(edited) } }
    },
  })
}

const textExample: ConfigTextView = {
  ...{
    configFile: '/etc/pbxd/pbxd.yaml',
    revision: 12,
    base: '12.0123456789abcdef',
    ok: true,
    faults: [],
    warnings: [],
    fileIsOther: false,
  },
  text: 'site: { name: Riverside Clinic }\nmail: { server: mail.example:587, password: (kept ab12) } # of the practice\n',
  ...{ changes: [], effect: 'none', confirm: false },
}

function revisionRoutes({ desk, revisions }: ConfigurationServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/config/revisions',
      access,
      people,
      operationId: 'listConfigRevisions',
      summary: 'Configurations that were in use, newest first',
      tag,
      responses: { 200: { description: 'The newest 50.', schema: Type.Array(ConfigRevisionSchema) } },
      handle: () => ({ status: 200, body: history({ desk, revisions }) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/config/diff',
      access,
      people,
      operationId: 'compareConfig',
      summary: 'What is otherwise: the file against what is in use, or a revision against another or against what is in use',
      tag,
      query: Type.Object({ from: Type.Optional(RevisionNumber), to: Type.Optional(RevisionNumber) }),
      responses: { 200: { description: 'Key by key.', schema: Type.Array(ConfigChangeSchema) } },
      handle: ({ query: { from, to } }) => ({ status: 200, body: desk.compare(numberOf(from), numberOf(to)) }),
    }),
  ]
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}

function history({ desk, revisions }: Pick<ConfigurationServices, 'desk' | 'revisions'>): ConfigRevisionView[] {
  const { revision: inUse } = desk.state()
  return revisions.list().map(({ text: _, at, ...facts }) => ({ ...facts, at: isoTime(at), inUse: facts.revision === inUse }))
}
