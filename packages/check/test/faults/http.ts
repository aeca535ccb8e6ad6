import {
  always,
  type Case,
  changingHeader,
  changingStream,
  dialects,
  isNoTool,
  onText,
  stateless,
  status,
  structured,
} from './changes.js'

export const httpCases: readonly Case[] = [
  [
    'http-answer-type',
    dialects,
    () => ({
      changeResponse: ({ headers }, { method }) =>
        method === 'tools/list' ? { headers: { ...headers, 'content-type': 'text/html' } } : undefined,
    }),
  ],
  ['http-notification', dialects, status(({ method }) => method === 'notifications/cancelled', 200)],
  ['http-content-type', dialects, changingHeader('content-type', 'text/plain', 'application/json')],
  ['http-accept', dialects, changingHeader('accept', 'image/png', 'application/json, text/event-stream')],
  ['http-get', dialects, () => ({ instead: ({ method }) => (method === 'GET' ? { status: 404 } : undefined) })],
  ['http-origin', structured, changingHeader('origin', 'https://evil.example', undefined)],
  ['http-origin-403', dialects, changingHeader('origin', 'https://evil.example', undefined)],
  [
    'http-cors',
    dialects,
    () => ({
      instead: ({ method }) =>
        method === 'OPTIONS' ? { status: 204, headers: { 'access-control-allow-origin': '*' } } : undefined,
    }),
  ],
  ['http-host', dialects, changingHeader('host', 'evil.example', 'localhost')],
  ['http-version', dialects, changingHeader('mcp-protocol-version', '1.0', dialects)],
  ['http-parse-status', dialects, onText('{bad', { changeResponse: () => ({ status: 200 }) })],
  ['http-error-status', dialects, status(isNoTool, 400)],
  ['http-stream-ends', dialects, changingStream(always, () => ({ open: true }))],
  ['http-unbuffered', stateless, changingStream(always, ({ headers: { 'x-accel-buffering': _, ...headers } }) => ({ headers }))],
]
