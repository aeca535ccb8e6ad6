// Setup file for tests that must load a module first or that replace the clock. Fresh modules keep their timers away from later files.
import { vi } from 'vitest'

vi.resetModules()
