from __future__ import annotations

LETTER = (
    "Thank you for your message of 14 October. We have looked into the matter and found that the second reading of the water meter "
    "was entered twice. The amount of 186.40 has been credited to your account and will be shown on the next statement. "
    "Please keep this letter together with the agreement, because the new reference must be quoted whenever you write to us. "
    "If the credit does not appear within thirty days, call the office between nine and five and ask for the billing desk. "
    "The engineer will visit the building on Thursday 12 March to replace the meter in the cellar. Access is needed for about "
    "two hours, and the supply will be interrupted for less than twenty minutes. Neighbours on the lower floors have been told. "
    "We apologise for the trouble that this mistake has caused and hope that the matter is now settled to your satisfaction."
)

SMALL_PRINT = (
    "The insurer shall not be liable for loss caused by wear, gradual deterioration, moths, vermin, damp or any process of cleaning. "
    "Claims must be reported within fourteen days of discovery and supported by receipts or photographs of the damaged property. "
    "The excess of 250 applies to every claim unless the schedule states a different amount for that section of the policy. "
    "Cover is suspended while the premises remain unoccupied for more than sixty consecutive days without written consent. "
    "Either party may cancel this policy by giving thirty days notice in writing to the last known address of the other. "
)

RECEIPT = [
    "MILLER'S MARKET",
    "12 Station Parade, Aldersby",
    "Date 24.07.2026 Time 17:42",
    "Rye bread 2.95",
    "Butter salted 2.40",
    "Free range eggs 3.15",
    "Cheddar mature 4.60",
    "Tomatoes loose 1.87",
    "Green apples 2.25",
    "Oat biscuits 1.70",
    "Coffee ground 5.20",
    "Washing powder 6.95",
    "TOTAL 31.07",
    "Paid by card 31.07",
    "Items sold 9",
    "Tax included 1.18",
    "Thank you for shopping locally",
    "Please keep this receipt",
    "for exchange within 28 days",
]

ENVELOPE = [
    "Return to sender if undelivered",
    "Calder Vale Lettings, Unit 6",
    "",
    "",
    "Mrs Rosalind Feathers",
    "The Cottage, 5 Beacon Hill",
    "Little Harrow",
    "Aldersby AL4 7TW",
    "United Kingdom",
]

CARD = [
    "NORTHERN LIBRARY SERVICE",
    "Member since 2019",
    "Name Rosalind Feathers",
    "Number 4471 0926 3385",
    "Valid until 30 June 2028",
]

TABLE = [
    ("Article", "Quantity", "Price", "Amount"),
    ("Copper pipe", "12", "8.40", "100.80"),
    ("Elbow joint", "30", "1.15", "34.50"),
    ("Ball valve", "4", "17.90", "71.60"),
    ("Mounting rail", "6", "9.75", "58.50"),
    ("Sealing tape", "10", "2.20", "22.00"),
    ("Labour", "7", "46.00", "322.00"),
    ("Travel", "1", "35.00", "35.00"),
    ("Total", "", "", "644.40"),
]

BOXES = ["Account overview", "Opening balance", "Payments received", "Charges this month", "Closing balance"]

LANGUAGES = {
    "deu": (
        "Sehr geehrte Frau Müller, vielen Dank für Ihr Schreiben vom 14. Oktober. Wir haben die Angelegenheit geprüft und festgestellt, "
        "dass der zweite Zählerstand doppelt erfasst wurde. Der Betrag von 186,40 wird Ihrem Konto gutgeschrieben. Bitte bewahren Sie "
        "dieses Schreiben gemeinsam mit dem Vertrag auf. Der Monteur besucht das Gebäude am Donnerstag, um den Zähler im Keller "
        "auszutauschen. Die Versorgung wird für weniger als zwanzig Minuten unterbrochen. Mit freundlichen Grüßen aus Köln."
    ),
    "fra": (
        "Madame, nous vous remercions de votre lettre du 14 octobre. Après vérification, il apparaît que le deuxième relevé du compteur "
        "a été enregistré deux fois. La somme de 186,40 sera créditée sur votre compte et figurera sur le prochain relevé. Veuillez "
        "conserver ce courrier avec le contrat, car la nouvelle référence doit être rappelée à chaque échange. Le technicien passera "
        "jeudi matin pour remplacer l'appareil à la cave. La fourniture sera coupée pendant moins de vingt minutes, où que vous soyez."
    ),
    "pol": (
        "Szanowna Pani, dziękujemy za list z dnia 14 października. Sprawdziliśmy sprawę i stwierdziliśmy, że drugi odczyt licznika został "
        "wprowadzony dwukrotnie. Kwota 186,40 zostanie zaksięgowana na Pani koncie i pojawi się na następnym wyciągu. Prosimy zachować "
        "to pismo razem z umową, ponieważ nowy numer należy podawać przy każdym kontakcie. Monter odwiedzi budynek w czwartek, aby "
        "wymienić licznik w piwnicy. Dostawa będzie przerwana na mniej niż dwadzieścia minut. Przepraszamy za kłopot."
    ),
    "ell": (
        "Αγαπητή κυρία, σας ευχαριστούμε για την επιστολή σας. Εξετάσαμε το θέμα και διαπιστώσαμε ότι η δεύτερη μέτρηση του μετρητή "
        "καταχωρήθηκε δύο φορές. Το ποσό των 186,40 θα πιστωθεί στον λογαριασμό σας και θα εμφανιστεί στην επόμενη κατάσταση. "
        "Παρακαλούμε φυλάξτε αυτό το έγγραφο μαζί με τη σύμβαση. Ο τεχνικός θα επισκεφθεί το κτίριο την Πέμπτη για να αντικαταστήσει "
        "τον μετρητή στο υπόγειο. Η παροχή θα διακοπεί για λιγότερο από είκοσι λεπτά. Με εκτίμηση, το τμήμα λογαριασμών."
    ),
    "ces": (
        "Vážená paní, děkujeme za Váš dopis ze dne 14. října. Záležitost jsme prověřili a zjistili jsme, že druhý odečet měřiče byl "
        "zapsán dvakrát. Částka 186,40 bude připsána na Váš účet a objeví se na příštím výpisu. Uschovejte prosím tento dopis společně "
        "se smlouvou, protože nové číslo je třeba uvádět při každém kontaktu. Technik navštíví budovu ve čtvrtek, aby vyměnil měřič "
        "ve sklepě. Dodávka bude přerušena na méně než dvacet minut. Omlouváme se za způsobené potíže."
    ),
    "rus": (
        "Уважаемая госпожа, благодарим Вас за письмо от 14 октября. Мы проверили обстоятельства и установили, что второе показание "
        "счётчика было внесено дважды. Сумма 186,40 будет зачислена на Ваш счёт и появится в следующей выписке. Пожалуйста, храните "
        "это письмо вместе с договором. Техник посетит здание в четверг, чтобы заменить счётчик в подвале. Подача воды будет прервана "
        "менее чем на двадцать минут. Приносим извинения за причинённые неудобства."
    ),
    "heb": (
        "שלום רב, אנו מודים לך על מכתבך מיום רביעי. בדקנו את העניין ומצאנו כי הקריאה השנייה של המונה נרשמה פעמיים. הסכום יזוכה "
        "בחשבונך ויופיע בדף החשבון הבא. אנא שמור מכתב זה יחד עם ההסכם. הטכנאי יבקר בבניין ביום חמישי כדי להחליף את המונה במרתף. "
        "האספקה תופסק לפחות מעשרים דקות. אנו מתנצלים על אי הנוחות שנגרמה."
    ),
}
