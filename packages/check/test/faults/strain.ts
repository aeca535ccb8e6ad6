import { asObject, type Case, dialects, hearing } from './changes.js'

export const strainCases: readonly Case[] = [
  ['strain-headers', dialects, () => ({ hear: ({ headers: { 'x-check': _, ...headers } }) => ({ headers }) })],
  [
    'strain-depth',
    dialects,
    () => ({
      hear: ({ body: bytes }) =>
        bytes.includes('[[[[[') ? { body: Buffer.from(bytes.toString().replace(/\[\[+\]+\]/, '0')) } : undefined,
    }),
  ],
  [
    'strain-body',
    dialects,
    hearing(
      ({ params }) => typeof asObject(params).check === 'string',
      (message) => ({ ...message, params: {} }),
    ),
  ],
]
