import { homedir } from 'node:os'
import type { Machine } from '../../config/index.js'
import type { CommandInput } from '../command-spec.js'

/** This machine, as the search for files wants it. */
export const machineOf = ({ env, cwd }: Pick<CommandInput, 'env' | 'cwd'>): Machine => ({
  env,
  cwd,
  home: env.HOME || env.USERPROFILE || homedir(),
  platform: process.platform,
})
