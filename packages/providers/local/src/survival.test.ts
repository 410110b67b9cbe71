import { describeWith } from '@stead/testing'
import { survivalTests } from './tests/survival.suite.ts'

describeWith('bubblewrap', 'with bubblewrap', () => survivalTests('full'))
describeWith('namespaces', 'without bubblewrap', () => {
  survivalTests('basic')
  survivalTests('none')
})
