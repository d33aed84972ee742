import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;

/** Sends bodies of several sizes to a server that echoes them, with the client as it comes: it offers HTTP/2 with each request. */
class Posts {
    public static void main(String[] arguments) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + arguments[0] + "/");
        HttpClient client = HttpClient.newHttpClient();
        int echoed = 0;
        for (int size : new int[] {0, 1, 47, 1_000, 65_536, 300_000}) {
            byte[] body = new byte[size];
            Arrays.fill(body, (byte) 'x');
            BodyPublisher known = BodyPublishers.ofByteArray(body);
            BodyPublisher unknown = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
            for (BodyPublisher publisher : new BodyPublisher[] {known, unknown}) {
                HttpRequest request = HttpRequest.newBuilder(address).POST(publisher).build();
                var response = client.send(request, BodyHandlers.ofByteArray());
                if (response.statusCode() == 200 && Arrays.equals(response.body(), body)) {
                    echoed += 1;
                }
            }
        }
        System.out.println(echoed);
    }
}
