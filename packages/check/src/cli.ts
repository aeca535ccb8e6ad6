#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { plainText } from 'toolwire/relay'
import { exitCodes } from './check-command.js'
import { runCheckProgram } from './run-check-program.js'

const name = 'toolwire-check'
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
const words = process.argv.slice(2)
const stopping = new AbortController()

/** The first Ctrl-C stops the check, the second one ends the process. */
function stop(): void {
  if (stopping.signal.aborted) process.exit(exitCodes.interrupted)
  stopping.abort(new Error('Stopped'))
}

function reportError(thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const text = (words.includes('--debug') && error.stack) || error.message
  process.stderr.write(`${name}: ${plainText.visible(text)}\n`)
  return exitCodes.usage
}

process.on('SIGINT', stop).on('SIGTERM', stop)
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(exitCodes.closedPipe) // a reader such as head has read enough
})
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const code = await runCheckProgram(words, { name, version, env: process.env, signal: stopping.signal }).catch(reportError)
const end = () => process.exit(stopping.signal.aborted ? exitCodes.interrupted : code)
// The error of a closed pipe is emitted after the callback of the write.
process.stdout.write('', () => setImmediate(end))
