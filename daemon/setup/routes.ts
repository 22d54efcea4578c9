/** The first set-up on a page: the questions, the answers and the configuration of `pbx setup`. */
import { Type } from '@sinclair/typebox'
import { defineRoute, type Route } from '../http/route.ts'
import {
  SetupBegunSchema,
  SetupDraftSchema,
  SetupLineSchema,
  SetupRequestSchema,
  SetupStateSchema,
  type SetupBegunView,
  type SetupLine,
  type SetupView,
} from '../schema/setup.ts'

type Answers = Readonly<Record<string, unknown>>

export interface SetupServices {
  state(): SetupView
  /** Throws ApiError validation_failed. */
  keep(answers: Answers): Promise<void>
  /** Throws ApiError: validation_failed with every fault at once, already_set_up, and as a change of the configuration. */
  begin(answers: Answers, order: { readonly by: string; readonly force: boolean }): Promise<SetupBegunView>
  /** Some seconds, in which nobody else has the devices. */
  lines(): Promise<readonly SetupLine[]>
}

const access = 'technician'
const people = ['technician'] as const
const tag = 'Configuration'

export function setupRoutes(setup: SetupServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/setup',
      access,
      people,
      operationId: 'getSetup',
      summary: 'Whether the box is to be set up, and what was answered so far',
      tag,
      responses: { 200: { description: 'The state.', schema: SetupStateSchema } },
      handle: () => ({ status: 200, body: setup.state() }),
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/setup',
      access,
      people,
      operationId: 'keepSetup',
      summary: 'Keep answers, to go on later',
      tag,
      body: SetupDraftSchema,
      responses: {
        204: { description: 'They are kept, without passwords.' },
        422: { description: '`validation_failed`: what was answered cannot be used.' },
      },
      async handle({ body: { answers } }) {
        await setup.keep(answers)
        return { status: 204 }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/setup',
      access,
      people,
      operationId: 'beginSetup',
      deed: 'config.setup',
      summary: 'Make the configuration that the answers mean, and put it to use on trial',
      description:
        'It waits for POST /api/config/confirm: confirm when the provider has accepted the registration (GET /api/lines). Otherwise everything is as before after 60 s.',
      tag,
      body: SetupRequestSchema,
      responses: {
        202: { description: 'It has begun; GET /api/config shows its progress.', schema: SetupBegunSchema },
        409: { description: '`already_set_up`, `config_change_running`.' },
        422: { description: '`validation_failed`: `details` has every fault.' },
      },
      handle: async ({ body: { answers, force = false }, deed }) => ({
        status: 202,
        body: await setup.begin(answers, { by: deed.actor, force }),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/setup/lines',
      access,
      people,
      operationId: 'findLines',
      deed: 'modem.scan',
      summary: 'Look for modems that no line uses yet',
      tag,
      responses: { 200: { description: 'Those that can be lines.', schema: Type.Array(SetupLineSchema) } },
      handle: async () => ({ status: 200, body: await setup.lines() }),
    }),
  ]
}
