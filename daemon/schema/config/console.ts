/** The section `console` of the configuration: the pages of the box for people. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'

export const consoleDefaults = { idleMinutes: 10, sessionHours: 12, waitSeconds: 60, secondStep: 'technician' } as const

export const ConsoleSchema = Type.Union(
  [
    Type.Literal('off', { description: 'No pages for people, and no sign-in.' }),
    Type.Object(
      {
        idleMinutes: Type.Optional(
          Type.Integer({
            minimum: 2,
            maximum: 30,
            description: 'Minutes without a key or a pointer until a session locks; 10 unless written.',
            examples: [10],
          }),
        ),
        sessionHours: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 24,
            description: 'Hours until a session ends and the person signs in again; 12 unless written.',
            examples: [12],
          }),
        ),
        waitSeconds: Type.Optional(
          Type.Integer({
            minimum: 5,
            maximum: 3600,
            description:
              'Seconds that a caller waits in a queue before the pages show it in amber; red after twice as long. 60 unless written.',
            examples: [60],
          }),
        ),
        help: Type.Optional(
          Type.String({
            maxLength: 200,
            description: 'Whom people of the clinic call when something is wrong, as each page shows it.',
            examples: ['Ridge IT, 555 010 0190'],
          }),
        ),
        secondStep: Type.Optional(
          Choice(['technician', 'everybody', 'off'], {
            description: 'Who must confirm a sign-in with an authenticator app; everybody may. technician unless written.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  {
    default: {},
    description: 'The pages of the box for people at the web port, and their sign-in; `off`: a plain page, and no person signs in.',
  },
)
