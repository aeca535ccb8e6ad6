import type { Server } from 'toolwire'

export function taskApp(revision?: string): Server
