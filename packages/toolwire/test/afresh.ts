// Set up for files that want to be the first to use a module, or replace the clock: a timer of theirs never fires for the files after them.
import { vi } from 'vitest'

vi.resetModules()
