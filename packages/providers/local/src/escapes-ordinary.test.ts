import { describeWith } from '@stead/testing'
import { escapeTests } from './tests/escapes.suite.ts'
import { becomeOrdinary } from './tests/ordinary-user.ts'

becomeOrdinary()

describeWith('bubblewrap', 'as an ordinary user', () => escapeTests('full'))
describeWith('namespaces', 'as an ordinary user', () => escapeTests('basic'))
