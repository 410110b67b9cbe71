import { describeWith } from '@stead/testing'
import { escapeTests } from './tests/escapes.suite.ts'

describeWith('bubblewrap', 'as root', () => escapeTests('full'))
describeWith('namespaces', 'as root', () => escapeTests('basic'))
