import type { Server } from 'toolwire'

export function askingApp(revision?: string, done?: Record<string, number>): Server
