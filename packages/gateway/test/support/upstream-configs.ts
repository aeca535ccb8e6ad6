// The servers behind the gateways of these tests.
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { child, moody, program, upstreamConfig } from './running-gateway.js'

/** A tool that reads, one that writes, one that takes its time. */
export const notes = (more: Partial<UpstreamConfig> = {}, ...args: string[]): UpstreamConfig =>
  upstreamConfig('notes', moody(program('notes-server.mjs'), ...args), { trusted: true, ...more })

/** Tools that ask, tell how far they are, and wait until they are cancelled. */
export const asking = (revision = '2025-11-25', more: Partial<UpstreamConfig> = {}): UpstreamConfig =>
  upstreamConfig('asking', child(program('asking-child.mjs'), revision), { trusted: true, ...more })

/** Nobody is asked, and nobody calls too often. */
export const open = { ...defaultGuard, approvals: false, rate: false, lists: false } as const
