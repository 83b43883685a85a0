import {
  FEEDER_AREA,
  GLASS_AREA,
  RESOLUTIONS,
  TRANSFER_FORMATS,
  type TransferFormat,
} from './scan-settings.ts';

/** As eSCL spells them. */
export type AdfState =
  | 'ScannerAdfLoaded'
  | 'ScannerAdfEmpty'
  | 'ScannerAdfJam'
  | 'ScannerAdfMispick'
  | 'ScannerAdfMultipickDetected'
  | 'ScannerAdfDoorOpen';

export interface JobStatus {
  readonly path: string;
  readonly id: string;
  readonly ageSeconds: number;
  readonly pagesSent: number;
  readonly done: boolean;
}

const NAMESPACES =
  'xmlns:scan="http://schemas.hp.com/imaging/escl/2011/05/03" xmlns:pwg="http://www.pwg.org/schemas/2010/12/sm"';

/** The `ScannerCapabilities` document, from which sane-airscan derives its options. */
export function capabilitiesXml(
  name: string,
  formats: readonly TransferFormat[] = TRANSFER_FORMATS,
  inputs: readonly Input[] = INPUTS,
): string {
  const feeder = (['Simplex', 'Duplex'] as const)
    .filter((input) => inputs.includes(input))
    .map((i) => `<scan:Adf${i}InputCaps>${inputCaps(FEEDER_AREA, formats)}</scan:Adf${i}InputCaps>`)
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<scan:ScannerCapabilities ${NAMESPACES}>
  <pwg:Version>2.63</pwg:Version>
  <pwg:MakeAndModel>${escape(name)}</pwg:MakeAndModel>
  <pwg:SerialNumber>VIRTUAL0001</pwg:SerialNumber>
  ${inputs.includes('Glass') ? `<scan:Platen><scan:PlatenInputCaps>${inputCaps(GLASS_AREA, formats)}</scan:PlatenInputCaps></scan:Platen>` : ''}
  ${feeder === '' ? '' : `<scan:Adf>${feeder}${ADF_FACTS}</scan:Adf>`}
</scan:ScannerCapabilities>
`;
}

export const INPUTS = ['Glass', 'Simplex', 'Duplex'] as const;

export type Input = (typeof INPUTS)[number];

const ADF_FACTS =
  '<scan:FeederCapacity>50</scan:FeederCapacity>' +
  '<scan:AdfOptions><scan:AdfOption>DetectPaperLoaded</scan:AdfOption><scan:AdfOption>Duplex</scan:AdfOption></scan:AdfOptions>';

export function statusXml(adfState: AdfState, busy: boolean, job: JobStatus | undefined): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<scan:ScannerStatus ${NAMESPACES}>
  <pwg:Version>2.63</pwg:Version>
  <pwg:State>${busy ? 'Processing' : 'Idle'}</pwg:State>
  <scan:AdfState>${adfState}</scan:AdfState>
  <scan:Jobs>${job ? jobInfo(job) : ''}</scan:Jobs>
</scan:ScannerStatus>
`;
}

function jobInfo(job: JobStatus): string {
  return `
    <scan:JobInfo>
      <pwg:JobUri>${job.path}</pwg:JobUri>
      <pwg:JobUuid>${job.id}</pwg:JobUuid>
      <scan:Age>${job.ageSeconds}</scan:Age>
      <pwg:ImagesCompleted>${job.pagesSent}</pwg:ImagesCompleted>
      <pwg:JobState>${job.done ? 'Completed' : 'Processing'}</pwg:JobState>
    </scan:JobInfo>
  `;
}

function inputCaps(
  area: { readonly width: number; readonly height: number },
  formats: readonly TransferFormat[],
): string {
  return `
      <scan:MinWidth>16</scan:MinWidth><scan:MaxWidth>${area.width}</scan:MaxWidth>
      <scan:MinHeight>16</scan:MinHeight><scan:MaxHeight>${area.height}</scan:MaxHeight>
      <scan:MaxScanRegions>1</scan:MaxScanRegions>
      <scan:SettingProfiles>
        <scan:SettingProfile>
          <scan:ColorModes>
            <scan:ColorMode>RGB24</scan:ColorMode><scan:ColorMode>Grayscale8</scan:ColorMode>
          </scan:ColorModes>
          <scan:DocumentFormats>
            ${formats.map((format) => `<pwg:DocumentFormat>${format}</pwg:DocumentFormat><scan:DocumentFormatExt>${format}</scan:DocumentFormatExt>`).join('')}
          </scan:DocumentFormats>
          <scan:SupportedResolutions>
            <scan:DiscreteResolutions>${RESOLUTIONS.map(discreteResolution).join('')}</scan:DiscreteResolutions>
          </scan:SupportedResolutions>
        </scan:SettingProfile>
      </scan:SettingProfiles>
      <scan:SupportedIntents><scan:Intent>Document</scan:Intent></scan:SupportedIntents>
      <scan:MaxOpticalXResolution>600</scan:MaxOpticalXResolution>
      <scan:MaxOpticalYResolution>600</scan:MaxOpticalYResolution>
    `;
}

function discreteResolution(dpi: number): string {
  return `<scan:DiscreteResolution><scan:XResolution>${dpi}</scan:XResolution><scan:YResolution>${dpi}</scan:YResolution></scan:DiscreteResolution>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
