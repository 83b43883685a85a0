const SETTINGS = `<?xml version="1.0"?>
<scan:ScanSettings xmlns:scan="s" xmlns:pwg="p"><pwg:ScanRegions><pwg:ScanRegion>
<pwg:XOffset>0</pwg:XOffset><pwg:YOffset>0</pwg:YOffset><pwg:Width>600</pwg:Width><pwg:Height>900</pwg:Height>
</pwg:ScanRegion></pwg:ScanRegions><pwg:InputSource>Feeder</pwg:InputSource><scan:Duplex>false</scan:Duplex>
<scan:ColorMode>Grayscale8</scan:ColorMode><pwg:DocumentFormat>image/png</pwg:DocumentFormat>
<scan:XResolution>100</scan:XResolution><scan:YResolution>100</scan:YResolution></scan:ScanSettings>`;

/** The body that opens a job: the feeder, gray, 100 dpi, 2 × 3 inches; `changes` replaces the text of elements. */
export function scanSettingsXml(changes: Readonly<Record<string, string>> = {}): string {
  return Object.entries(changes).reduce(
    (xml, [name, value]) => xml.replace(new RegExp(`(:${name}>)[^<]*`), `$1${value}`),
    SETTINGS,
  );
}

export async function postJob(url: string): Promise<Response> {
  return fetch(`${url}/ScanJobs`, { method: 'POST', body: scanSettingsXml() });
}

/** Opens a job and answers its address. */
export async function openJob(url: string): Promise<string> {
  return (await postJob(url)).headers.get('location') ?? '';
}
