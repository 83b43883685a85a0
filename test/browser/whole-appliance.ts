import type { Page } from 'playwright-core';
import {
  startAppliance,
  type Appliance,
  type ApplianceOptions,
} from '../support/appliance/appliance.ts';
import { launch, openPage } from './page-bench.ts';

export interface WholeAppliance {
  readonly appliance: Appliance;
  readonly page: Page;
  close(): Promise<void>;
}

/** Starts an appliance and shows its control page on a phone. */
export async function openWholeAppliance(options: ApplianceOptions): Promise<WholeAppliance> {
  const appliance = await startAppliance(options);
  const browser = await launch();
  return {
    appliance,
    page: await openPage(browser, `http://127.0.0.1:${appliance.service.port()}/`),
    close: async () => {
      await browser.close();
      await appliance.close();
    },
  };
}
